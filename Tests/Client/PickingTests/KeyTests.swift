import PickerClient
import Picking
import TerminalCells
import Testing

@Suite("The keys of a picker")
struct KeyTests {
    /// A picker with a typed line, a caret in it, and the cursor amid its rows.
    private func hand(_ mode: PickOptions.Mode = .pick) -> Hand {
        var hand = Hand(rows: 12) {
            $0.isMulti = true
            $0.preview = .right
            $0.sorts = [["name"], ["path"]]
            $0.hasChosenSort = true
            $0.mode = mode
        }
        if mode == .pick { hand.type("ab cd ef") }
        hand.show((0..<40).map { "f\($0)" })
        for _ in 0..<15 { hand.press(.down) }
        for _ in 0..<4 { hand.press(.left) }
        return hand
    }

    /// What differs, in words.
    private func effect(_ before: PickState, _ after: PickState) -> String {
        var parts: [String] = []
        func look(_ look: (PickState) -> String) {
            if look(before) != look(after) { parts.append(look(after)) }
        }
        // Where something lies over the list there is no caret.
        if after.overlay == nil {
            look { "\($0.line.dropLast($0.behindCaret.count))|\($0.behindCaret)" }
        }
        look { "at \($0.cursor.place)" }
        look { "\($0.marks.count) marked" }
        look { "\($0.wantedRange == nil ? "has" : "asks for") rows" }
        look { "by \($0.sort.joined(separator: ","))" }
        look { $0.preview.isShown ? "preview" : "no preview" }
        look {
            switch $0.overlay {
            case nil: "list"
            case .help?: "help"
            case .actions?: "actions"
            case .question?: "question"
            }
        }
        look { $0.wantedCommands.map { "\($0.deed)" }.joined(separator: ",") }
        look { $0.message ?? "nothing" }
        look {
            switch $0.outcome {
            case nil: "goes on"
            case .picked(let items)?: "picked " + items.map { $0.name ?? "" }.joined()
            case let outcome?: "\(outcome)"
            }
        }
        return parts.joined(separator: "; ")
    }

    private func check(
        _ hand: Hand, _ code: KeyPress.Code, _ modifiers: KeyPress.Modifiers, _ expected: String,
        _ place: SourceLocation = #_sourceLocation
    ) {
        var after = hand
        after.press(code, modifiers)
        let found = effect(hand.state, after.state)
        #expect(found == expected, "\(code) \(modifiers)", sourceLocation: place)
    }

    @Test("Each has its effect, and no other, on a typed line")
    func line() {
        let hand = hand()
        let keys: [(KeyPress.Code, KeyPress.Modifiers, String)] = [
            (.character("a"), .control, "|ab cd ef"), (.home, [], "|ab cd ef"),
            (.character("e"), .control, "ab cd ef|"), (.end, [], "ab cd ef|"),
            (.character("b"), .control, "ab |cd ef"), (.left, [], "ab |cd ef"),
            (.character("f"), .control, "ab cd| ef"), (.right, [], "ab cd| ef"),
            (.character("b"), .alt, "ab |cd ef"), (.left, .alt, "ab |cd ef"),
            (.left, .shift, "ab |cd ef"), (.character("f"), .alt, "ab cd| ef"),
            (.right, .alt, "ab cd| ef"), (.right, .shift, "ab cd| ef"),
            (.backspace, [], "ab |d ef"), (.character("h"), .control, "ab |d ef"),
            (.delete, [], "ab c| ef"), (.character("d"), .control, "ab c| ef"),
            (.character("w"), .control, "ab |d ef"), (.backspace, .alt, "ab |d ef"),
            (.character("d"), .alt, "ab c| ef"), (.character("u"), .control, "|d ef"),
            (.character("y"), .control, ""), (.character("x"), .control, ""),
            (.function(7), [], ""), (.up, [.control, .alt], ""), (.insert, [], ""),
        ]
        for (code, modifiers, expected) in keys { check(hand, code, modifiers, expected) }
        var cut = hand
        cut.press(control: "u")
        check(cut, .character("y"), .control, "ab c|d ef")
    }

    @Test("Each has its effect, and no other, on the list")
    func list() {
        let hand = hand()
        let keys: [(KeyPress.Code, KeyPress.Modifiers, String)] = [
            (.up, [], "at 14"), (.character("k"), .control, "at 14"),
            (.character("p"), .control, "at 14"), (.down, [], "at 16"),
            (.character("j"), .control, "at 16"), (.character("n"), .control, "at 16"),
            (.pageUp, [], "at 5"), (.pageDown, [], "at 25"), (.home, .control, "at 0"),
            (.end, .control, "at 39"), (.character("t"), .alt, "at 0"),
            (.tab, [], "at 16; 1 marked"), (.character("i"), .control, "at 16; 1 marked"),
            (.tab, .shift, "at 14; 1 marked"), (.character("a"), .alt, "asks for rows"),
            (.character("i"), .alt, "asks for rows"), (.character(" "), .control, "1 marked"),
            (.character("@"), .control, "1 marked"), (.character("s"), .control, "by path"),
            (.character("s"), .alt, "by -name"), (.character("o"), .control, "actions"),
            (.character("l"), .alt, "like(keys: [\"k-f15\"], true)"),
            (.character("x"), .alt, "drop(keys: [\"k-f15\"])"), (.delete, .alt, "question"),
            (.character("z"), .alt, "There is nothing to take back"), (.function(1), [], "help"),
            (.character("p"), .alt, "no preview"), (.enter, [], "picked f15"),
            (.character("m"), .control, "picked f15"), (.escape, [], "cancelled"),
            (.character("c"), .control, "cancelled"), (.character("g"), .control, "cancelled"),
            (.character("q"), .control, "cancelled"),
        ]
        for (code, modifiers, expected) in keys { check(hand, code, modifiers, expected) }
        var empty = hand
        empty.press(control: "e")
        empty.press(control: "u")
        empty.show((0..<40).map { "f\($0)" })
        empty.press(.down)
        check(empty, .home, [], "at 0")
        check(empty, .end, [], "at 39")
        check(empty, .character("d"), .control, "cancelled")
    }

    @Test("Shift and the arrows scroll a preview")
    func preview() throws {
        var hand = hand()
        let request = try #require(hand.state.wantedPreview)
        let lines = (0..<50).map { StyledText(escaping: "line \($0)") }
        hand.send(
            .preview(request: request.number, .text(lines, firstMatch: nil, isCut: false)))
        #expect(hand.screen[2].contains("│line 0"))
        hand.press(.down, .shift)
        hand.press(.down, .shift)
        #expect(hand.screen[2].contains("│line 2"))
        hand.press(.up, .shift)
        #expect(hand.screen[2].contains("│line 1"))
    }
}

extension PickState {
    /// What is typed behind the caret, as it is drawn.
    fileprivate var behindCaret: String {
        let frame = PickDrawing.frame(of: self)
        let row = frame.grid.text(row: 0)
        guard let cursor = frame.cursor else { return "" }
        return String(row.dropFirst(cursor.column))
    }
}
