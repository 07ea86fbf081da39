import PickerClient
import Picking
import TerminalCells
import Testing

@Suite("A watch")
struct WatchTests {
    private func hand(
        columns: Int = 30, _ change: @escaping (inout PickOptions) -> Void = { _ in }
    ) -> Hand {
        Hand(rows: 6, columns: columns) {
            $0.mode = .watch
            $0.sorts = [["name"], ["date"]]
            change(&$0)
        }
    }

    private let many = (0..<9).map { "f\($0)" }

    @Test(
        "Nothing is taken: q, Esc and control-d end it, control-c and control-\\ as signals do",
        arguments: [
            (KeyPress(.escape), .cancelled), (KeyPress(.character("d"), .control), .cancelled),
            (KeyPress(.character("c"), .control), .signal(2)),
            (KeyPress(.character("\\"), .control), .signal(3)), (nil, .cancelled),
        ] as [(KeyPress?, PickOutcome)])
    func ends(key: KeyPress?, outcome: PickOutcome) {
        for place in ["rows", "line", "kept line", "help"] {
            var hand = hand()
            hand.show(many)
            hand.press(.enter)
            #expect(hand.state.outcome == nil)
            if place == "line" || place == "kept line" { hand.type("/") }
            if place == "kept line" {
                hand.type("x")
                hand.press(.enter)
            }
            if place == "help" { hand.type("?") }
            if let key { hand.press(key.code, key.modifiers) } else { hand.type("q") }
            // The keys of the rows lead back from elsewhere, but for the signals.
            let isSignal = if case .signal = outcome { true } else { false }
            let isEnd =
                place == "rows" || isSignal
                || place == "line" && key?.code == .character("d")
                || place == "kept line" && key?.code != .escape
            #expect(hand.state.outcome == (isEnd ? outcome : nil), "\(place)")
        }
    }

    @Test("What is done to documents elsewhere is not done here")
    func harmless() {
        var hand = hand()
        hand.show(many)
        let before = hand.state.rows
        for letter in "axlzpi" { hand.press(alt: letter) }
        hand.press(.delete, .alt)
        hand.press(control: "o")
        hand.press(control: " ")
        hand.press(.tab)
        hand.press(.enter)
        hand.send(
            .input(.mouse(MouseEvent(.press, at: CellPlace(row: 3, column: 3))), seen: 0))
        #expect(hand.state.rows == before && hand.state.overlay == nil)
        #expect(hand.state.wantedCommands.isEmpty && hand.state.wantedRange == nil)
        #expect(hand.state.wantedPreview == nil && hand.state.marks.isEmpty)
        #expect(hand.state.outcome == nil)
    }

    @Test("Its rows scroll, by the keys that move a cursor, and stay at their documents")
    func scrolling() {
        var hand = hand()
        hand.show(many)
        #expect(hand.screen[2...] == ["   f0", "   f1", "   f2", "   f3"])
        hand.press(.down)
        hand.type("j")
        #expect(hand.screen[2...] == ["   f2", "   f3", "   f4", "   f5"])
        // What comes in above does not move them.
        hand.show(["e"] + many)
        #expect(hand.screen[2] == "   f2")
        #expect(hand.screen[1].contains("1 new above"))
        hand.press(.up)
        hand.press(control: "p")
        hand.type("k")
        #expect(hand.screen[2] == "   e")
        // At the start it stays at the start.
        hand.show(["d", "e"] + many)
        #expect(hand.screen[2] == "   d")
        hand.press(.pageDown)
        #expect(hand.screen[2] == "   f2")
        hand.type("G")
        #expect(hand.screen[5] == "   f8")
        hand.type(" ")
        #expect(hand.screen[5] == "   f8")
        hand.press(.home)
        #expect(hand.screen[2] == "   d")
    }

    @Test("The slash begins a search, Enter leaves its line, and Esc ends it")
    func search() {
        var hand = hand()
        hand.show(many)
        hand.type("/q")
        #expect(hand.query?.search == "q" && hand.query?.match == .fuzzy)
        #expect(hand.screen[0].hasSuffix("q"))
        hand.show(["q1", "q2"])
        hand.press(.enter)
        #expect(hand.query?.search == "q")
        #expect(hand.screen[0] == "/q")
        hand.type("/w")
        #expect(hand.query?.search == "qw")
        hand.press(.escape)
        #expect(hand.query?.search == nil && hand.state.outcome == nil)
        #expect(hand.screen[0] == "documents")
        hand.type("/is:nothing")
        hand.press(.enter)
        #expect(hand.state.message != nil)
    }

    @Test(
        "What it was called with is shown until something is searched for, which begins with that",
        arguments: [
            (.contains, "a \"b", "documents · with 'a \"b' · type:pdf", "\"a \\\"b\""),
            (.words, "a  b", "documents · with the words 'a  b' · type:pdf", "\"a\" \"b\""),
            (.fuzzy, "'a !b", "documents · like ''a !b' · type:pdf", "'a !b"),
        ] as [(ListQuery.Match, String, String, String)])
    func base(match: ListQuery.Match, search: String, title: String, line: String) {
        var hand = hand(columns: 60) {
            $0.base.search = search
            $0.base.match = match
            $0.base.filter = .suffix(["pdf"])
        }
        #expect(hand.query?.search == search && hand.query?.match == match)
        #expect(hand.query?.filter == .suffix(["pdf"]))
        #expect(hand.query?.sort == (match == .fuzzy ? ["score"] : ["name"]))
        #expect(hand.screen[0] == title)
        hand.type("/")
        #expect(hand.state.line == line)
        #expect(hand.query?.match == .fuzzy)
        hand.type(" is:liked")
        #expect(hand.query?.filter == .all([.suffix(["pdf"]), .liked]))
        hand.press(.escape)
        #expect(hand.query?.search == search && hand.query?.match == match)
    }

    @Test("The row for a new document is above the others, where there is one")
    func newRow() {
        var hand = hand { $0.showsNewRow = true }
        hand.show(many)
        #expect(hand.screen[2...] == ["  + new document", "   f0", "   f1", "   f2"])
        hand.type("/f")
        hand.show(many)
        #expect(hand.screen[2] == "   f0")
    }

    @Test("That what it was called with is refused is its end, and a later refusal is told")
    func refusal() {
        var hand = hand()
        hand.send(.refused("there is no such collection"))
        #expect(hand.state.outcome == .refused("there is no such collection"))
        hand = self.hand()
        hand.show(many)
        hand.type("/x")
        hand.send(.refused("no"))
        #expect(hand.state.outcome == nil && hand.state.message == "no")
    }
}
