internal import TerminalCells

// What keys and texts do.

extension BrowseState {
    /// Takes what was typed, or keeps it until the folder has been read or the disk has answered.
    mutating func take(_ input: TerminalInput, seen: Int) {
        switch input {
        case .cursorPosition, .report: return
        case .mouse(let event):
            if held.isEmpty, pending == nil, listing != nil { handle(event) }
            return
        case .key(let press):
            let key = BrowseKey(press)
            // A disk that does not answer keeps nobody here.
            if key?.isEnd == true, !held.isEmpty || pending != nil {
                outcome = .cancelled
                held = []
                return
            }
            if key == .goUp, pending == nil, overlay == nil {
                held = []
                return handle(input, seen: seen)
            }
        case .text, .paste: break
        }
        if held.isEmpty, !mustWait(input) { return handle(input, seen: seen) }
        if held.count < Self.mostHeld { held.append(input) }
    }

    private func mustWait(_ input: TerminalInput) -> Bool {
        if pending != nil { return true }
        if listing != nil || overlay != nil { return false }
        switch input {
        case .text(let text), .paste(let text, _): return !isNaming && text.contains("/")
        case .key(let press): return BrowseKey(press)?.needsRows(isNaming: isNaming) ?? false
        case .mouse, .cursorPosition, .report: return false
        }
    }

    /// Takes what has waited.
    mutating func replayHeld() {
        while let first = held.first, outcome == nil, !mustWait(first) {
            held.removeFirst()
            fitCursor()
            handle(first, seen: nil)
        }
        if outcome != nil { held = [] }
    }

    private mutating func handle(_ input: TerminalInput, seen: Int?) {
        message = nil
        click = nil
        if overlay != nil { return handleInOverlay(input) }
        switch input {
        case .text(let text), .paste(let text, _):
            if isNaming { editName { $0.insert(text) } } else { typePath(text) }
        case .key(let press):
            guard let key = BrowseKey(press) else { return }
            handle(key, seen: seen)
        case .mouse, .cursorPosition, .report: break
        }
    }

    /// Who types a name means to save here, wherever the cursor was.
    private mutating func editName(_ change: (inout NameLine) -> Void) {
        let before = name.text
        change(&name)
        if name.text != before, hasHere, cursor.place != 0 { send(to: 0) }
    }

    private mutating func handle(_ key: BrowseKey, seen: Int?) {
        switch key {
        case .accept: accept(seen: seen)
        case .goUp: goUp()
        case .makeFolder: overlay = .newFolder(QueryLine(filter.text))
        case .toggleHidden: toggleHidden()
        case .other(let key):
            if !handleInLine(key) { handle(key, seen: seen) }
        }
    }

    private mutating func handleInLine(_ key: PickKey) -> Bool {
        if isNaming {
            var isTaken = false
            editName { isTaken = $0.take(key) }
            return isTaken
        }
        switch key {
        case .left where filter.isEmpty, .deleteBackward where filter.isEmpty: goUp()
        case .right where filter.caret == filter.count: goIn()
        default:
            var line = filter
            guard line.take(key) else { return false }
            editFilter { $0 = line }
        }
        return true
    }

    private mutating func handle(_ key: PickKey, seen: Int?) {
        switch key {
        case .accept: enter(seen: seen)
        case .cancel, .interrupt, .deleteOrEnd: outcome = .cancelled
        case .up: move(by: -1)
        case .down: move(by: 1)
        case .pageUp: move(by: -height)
        case .pageDown: move(by: height)
        case .first, .home: send(to: 0)
        case .last, .end: send(to: rowCount - 1)
        case .tab where options.isSave, .tabUp where options.isSave: isNaming.toggle()
        case .tab: goIn()
        case .help: overlay = .help(scroll: 0)
        default: break
        }
    }

    // MARK: What lies over the rows

    private mutating func handleInOverlay(_ input: TerminalInput) {
        let key: PickKey? = if case .key(let press) = input { PickKey(press) } else { nil }
        if key == .interrupt {
            outcome = .cancelled
            return
        }
        switch (overlay, input) {
        case (_, .key) where key == .cancel: overlay = nil
        case (.newFolder(var line)?, _):
            handle(input, key, inNewFolder: &line)
        case (.overwrite(let name)?, .text(let text)):
            // The first answer counts.
            switch text.first {
            case "y", "Y": save(name, isThere: true)
            case "n", "N": overlay = nil
            default: break
            }
        case (.help(let scroll)?, _):
            switch key {
            case .up: overlay = .help(scroll: max(0, scroll - 1))
            case .down:
                let last = BrowseHelp.lines(options).count - 1
                overlay = .help(scroll: min(scroll + 1, last))
            default: overlay = nil
            }
        default: break
        }
    }

    private mutating func handle(
        _ input: TerminalInput, _ key: PickKey?, inNewFolder line: inout QueryLine
    ) {
        switch (input, key) {
        case (.text(let text), _), (.paste(let text, _), _): line.insert(text)
        case (_, .accept?): return makeFolder(line.text)
        case (_, let key?): _ = line.take(key)
        default: break
        }
        overlay = .newFolder(line)
    }
}
