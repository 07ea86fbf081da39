internal import PickerClient
internal import TerminalCells

// What keys and texts do.

extension PickState {
    /// Takes what was typed. `seen` is the number of the frame that was on the screen; nil if the input has waited for
    /// rows.
    mutating func handle(_ input: TerminalInput, seen: Int?) {
        switch input {
        case .cursorPosition, .report: return
        case .mouse(let event): return handle(event)
        case .text, .paste, .key: break
        }
        message = nil
        click = nil
        if overlay != nil { return handleInOverlay(input) }
        switch input {
        case .text(let text), .paste(let text, _):
            isSearching ? edit { $0.insert(text) } : takeLetters(text)
            if case .paste(_, wasCut: true) = input {
                message = "What was pasted is too long for a query: its end is left out"
            }
        case .key(let press):
            guard let key = meaning(of: press) else { return }
            if isSearching, handleInLine(key) { return }
            handle(key, seen: seen)
        case .mouse, .cursorPosition, .report: break
        }
    }

    // MARK: The line

    /// Keys of the line.
    /// - Returns: whether it was one.
    private mutating func handleInLine(_ key: PickKey) -> Bool {
        if key == .tab { return complete() }
        var line = typed
        guard line.take(key) else { return false }
        edit { $0 = line }
        return true
    }

    /// Changes the line, and asks for what it says now.
    mutating func edit(_ change: (inout QueryLine) -> Void) {
        let before = typed.text
        change(&typed)
        if typed.text != before { read() }
    }

    /// The names of attributes are known: words with other names are searched for.
    mutating func know(_ names: [String]) {
        attributes = names
        read()
    }

    mutating func read() {
        if attributes == nil, typed.text.contains(":") { wantsAttributes = true }
        let new = readLine()
        fault = new.fault
        // A line that is no query keeps the rows of the last one that was.
        guard fault == nil, new != reading else { return }
        reading = new
        asksAnew(fromTop: !options.tracks)
    }

    /// Another list is wanted.
    mutating func asksAnew(fromTop: Bool) {
        queryNumber += 1
        moves += 1
        isSlow = false
        if fromTop { landsAtTop = true }
    }

    // MARK: Completion

    private var wordAtCaret: QueryWord? {
        isSearching ? QueryWord(in: typed, attributes: attributes) : nil
    }

    /// Whether Tab completes a word.
    var canComplete: Bool { overlay == nil && wordAtCaret != nil }

    private mutating func complete() -> Bool {
        wantsAttributes = wantsAttributes || attributes == nil
        guard let word = wordAtCaret else { return false }
        if let completion = word.completion {
            edit { $0.replace(word.range, with: completion) }
        }
        if word.candidates.count > 1 {
            message = word.candidates.prefix(12).map(\.text).joined(separator: "  ")
        }
        return true
    }

    // MARK: All other keys

    private mutating func handle(_ key: PickKey, seen: Int?) {
        switch key {
        case .accept: accept(seen: seen)
        case .cancel: cancel()
        case .interrupt: outcome = options.mode == .watch ? .signal(2) : .cancelled
        case .quit: outcome = .signal(3)
        case .deleteOrEnd: outcome = .cancelled
        case .up: move(by: -shape.perLine)
        case .down: move(by: shape.perLine)
        case .pageUp: move(by: -shape.count)
        case .pageDown: move(by: shape.count)
        case .leftTile: move(by: -1)
        case .rightTile: move(by: 1)
        case .first, .home: sendToTop()
        case .last, .end: sendToEnd()
        case .tab: toggleMark(andMoveBy: 1)
        case .tabUp: toggleMark(andMoveBy: -1)
        case .markAll: markAll()
        case .invert: invertMarks()
        case .markRange: markRange()
        case .nextSort: nextSort()
        case .reverseSort: reverseSort()
        case .offer: askForOffer()
        case .like: like()
        case .drop: drop()
        case .trash: askForTrash()
        case .undo: takeBack()
        case .help: overlay = .help(scroll: 0)
        case .toggleGrid: isGrid.toggle()
        case .togglePreview: preview.toggle()
        case .toggleWrap: preview.toggleWrap()
        case .previewUp: preview.scroll(by: -1, rows: places.preview?.rows ?? 0)
        case .previewDown: preview.scroll(by: 1, rows: places.preview?.rows ?? 0)
        default: break
        }
    }

    /// Esc ends the search of a watch, and otherwise it is the end.
    private mutating func cancel() {
        if options.mode == .watch, isSearching || !typed.isEmpty {
            endSearch()
        } else {
            outcome = .cancelled
        }
    }
}
