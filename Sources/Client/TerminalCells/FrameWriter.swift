/// Turns frames into what a terminal is sent to show them.
package struct FrameWriter: Sendable {
    /// Where the frames are.
    package enum Place: Hashable, Sendable {
        /// The whole screen, which is the one of before afterwards.
        case whole
        /// Rows below the prompt.
        case below(rows: Int)
    }

    private let place: Place
    private var size: TerminalSize
    private var shown: ScreenFrame?
    private var row = 0

    package init(_ place: Place, size: TerminalSize, features: TerminalFeatures) {
        self.place = place
        self.size = size
    }

    /// The bytes before the first frame.
    package mutating func enter() -> [UInt8] {
        shown = nil
        row = 0
        return Array((place == .whole ? "\u{1b}[?1049h\u{1b}[?7l\u{1b}[2J" : "").utf8)
    }

    /// The bytes that show a frame; none if it is shown.
    package mutating func update(to frame: ScreenFrame) -> [UInt8] {
        if frame == shown { return [] }
        var text = "\u{1b}[?25l" + home()
        for row in 0..<frame.grid.rows {
            if row > 0 { text += "\r\n" }
            for column in 0..<frame.grid.columns - (place == .whole ? 0 : 1) {
                let cell = frame.grid[row, column]
                text += cell.style.isReversed ? "\u{1b}[7m\(cell.text)\u{1b}[m" : cell.text
            }
            text += "\u{1b}[K"
        }
        row = max(0, frame.grid.rows - 1)
        if let cursor = frame.cursor {
            if row > cursor.row { text += "\u{1b}[\(row - cursor.row)A" }
            text += "\r" + (cursor.column > 0 ? "\u{1b}[\(cursor.column)C" : "") + "\u{1b}[?25h"
            row = cursor.row
        }
        shown = frame
        return Array(text.utf8)
    }

    private func home() -> String {
        place == .whole ? "\u{1b}[H" : "\r" + (row > 0 ? "\u{1b}[\(row)A" : "")
    }

    /// The bytes after which nothing on the screen is known.
    package mutating func forget(size: TerminalSize) -> [UInt8] {
        let text = home() + "\u{1b}[J"
        self.size = size
        shown = nil
        row = 0
        return Array(text.utf8)
    }

    /// The bytes after the last frame, which may stay below the prompt.
    package mutating func leave(keeping: Bool) -> [UInt8] {
        let text =
            place == .whole
            ? "\u{1b}[?7h\u{1b}[?1049l\u{1b}[?25h" : home() + "\u{1b}[J\u{1b}[?25h"
        shown = nil
        row = 0
        return Array(text.utf8)
    }

    /// The bytes that give a terminal back, whatever was sent before.
    package static func rescue(_ place: Place) -> [UInt8] {
        let end = place == .whole ? "\u{1b}[?7h\u{1b}[?1049l" : "\r\n"
        return Array("\u{1b}[m\u{1b}[?25h\(end)".utf8)
    }
}
