/// Where an area below the prompt is on the terminal. The terminal is asked for the row of its cursor, one question at
/// a time, and nothing waits for the answer: without it the place is not known.
package struct AreaPlace {
    /// The row of the terminal that is the first one of the area, from 0.
    package private(set) var row: Int?
    /// The row of the area in which the cursor was when the terminal was asked.
    private var asked: Int?
    private var isWanted = true
    /// Whether the answer that is to come is of no use any more.
    private var isLate = false

    package init() {}

    /// Whether an answer is to come.
    package var isAsking: Bool { asked != nil }

    /// The area may be elsewhere now.
    package mutating func move() {
        row = nil
        isWanted = true
        isLate = asked != nil
    }

    /// Whether to ask now, with the cursor in this row of the area.
    package mutating func asks(withCursorIn row: Int) -> Bool {
        guard isWanted, asked == nil else { return false }
        isWanted = false
        asked = row
        return true
    }

    /// Takes an answer: the row of the terminal in which the cursor was.
    package mutating func take(_ answer: Int) {
        guard let cursor = asked else { return }
        asked = nil
        if !isLate, answer >= cursor { row = answer - cursor }
        isLate = false
    }
}
