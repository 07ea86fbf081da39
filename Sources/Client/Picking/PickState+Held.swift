internal import TerminalCells

// What waits: keys for the rows of the typed query, and rows for newer ones.

extension PickState {
    /// The most inputs that wait; more are not taken.
    static let mostHeld = 256

    /// Takes what was typed, or keeps it until there are the rows for which it was meant.
    mutating func take(_ input: TerminalInput, seen: Int) {
        let isImmediate =
            switch input {
            case .mouse, .cursorPosition, .report: true
            case .key(let key): meaning(of: key)?.isEnd ?? false
            case .text, .paste: false
            }
        if !isImmediate, !held.isEmpty || mustWait(input) {
            if held.count < Self.mostHeld { held.append(input) }
            if heldTimer == nil { heldTimer = nextNumber() }
            return
        }
        if isImmediate, case .key = input { held = [] }
        handle(input, seen: seen)
    }

    /// Whether an input has to wait for rows.
    private func mustWait(_ input: TerminalInput) -> Bool {
        guard case .key(let press) = input, let key = meaning(of: press),
            overlay == nil, !isSlow, fault == nil, refused != queryNumber
        else { return false }
        // In another order the cursor stays at its document, which has to be known.
        if key.isOrder { return cursor.hasMoved && cursor.item == nil && (rows?.total ?? 0) > 0 }
        if !key.needsRows { return false }
        if key == .accept, options.mode == .watch { return false }
        if key == .tab, canComplete { return false }
        if !isAnswered || key == .accept && marks.isSeeking { return true }
        return key.needsItem && cursor.item == nil && (rows?.total ?? 0) > 0
    }

    /// Takes what has waited, as far as there are rows for it.
    mutating func replayHeld() {
        if held.isEmpty {
            heldTimer = nil
            return
        }
        while let first = held.first, outcome == nil, !mustWait(first) {
            held.removeFirst()
            heldTimer = nil
            fitCursor()
            handle(first, seen: nil)
        }
        if outcome != nil { held = [] }
        if held.isEmpty {
            heldTimer = nil
        } else if heldTimer == nil {
            heldTimer = nextNumber()
        }
    }

    mutating func takeTimeOut(_ number: Int) {
        if number == heldTimer {
            heldTimer = nil
            isSlow = true
        } else if number == click?.timer {
            click = nil
        } else if number == flashing.timer {
            ageFlash()
        } else if number == staleTimer {
            staleTimer = nil
            isStale = true
        }
    }

    /// Whether rows are of an earlier query, and since when.
    mutating func setStale() {
        if isAnswered || rows == nil || outcome != nil || refused == queryNumber {
            staleTimer = nil
            isStale = false
        } else if !isStale, staleTimer == nil {
            staleTimer = nextNumber()
        }
        if isAnswered, cursor.item != nil || rows?.total == 0 { isSlow = false }
    }
}

extension PickKey {
    /// Whether it ends the picker, and so waits for nothing.
    var isEnd: Bool { self == .cancel || self == .interrupt || self == .quit }
}
