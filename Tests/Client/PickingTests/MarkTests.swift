import PickerClient
import Picking
import TerminalCells
import Testing

@Suite("Marks of a picker")
struct MarkTests {
    private func hand(_ names: [String] = ["a", "b", "c", "d", "e"]) -> Hand {
        var hand = Hand { $0.isMulti = true }
        hand.show(names)
        return hand
    }

    @Test("Tab marks and goes down, shift-tab up; Enter takes them in the order of marking")
    func order() {
        var hand = hand()
        hand.press(.down)
        hand.press(.tab)
        hand.press(.tab)
        hand.press(.tab, .shift)
        #expect(hand.name == "c")
        // That mark was taken back; this one is the last.
        hand.press(.tab)
        hand.press(alt: "t")
        hand.press(.tab)
        #expect(hand.marked == ["b", "d", "a"])
        hand.press(.enter)
        #expect(hand.picked == ["b", "d", "a"])
    }

    @Test("Without several, Tab marks nothing")
    func single() {
        var hand = Hand()
        hand.show(["a", "b"])
        hand.press(.tab)
        hand.press(alt: "a")
        #expect(hand.state.marks.isEmpty && hand.state.wantedRange == nil)
        #expect(hand.name == "a")
    }

    @Test("They outlive other searches and orders, and have the newest state of their documents")
    func outlive() {
        var hand = hand()
        hand.press(.tab)
        hand.type("x")
        hand.show(["x"])
        hand.press(.tab)
        hand.press(control: "s")
        hand.show(["x"])
        #expect(hand.state.wantedMarked?.keys == ["k-a", "k-x"])
        hand.tellMarked([item("x"), item("away/a2", key: "k-a", size: 9)])
        hand.press(.enter)
        #expect(hand.picked == ["a2", "x"])
    }

    @Test("All, the inverse and ranges are asked for, and come in the order of the list")
    func many() throws {
        var hand = hand()
        hand.press(alt: "a")
        let request = try #require(hand.state.wantedRange)
        #expect(request.query.start == 0 && request.query.count == 4097)
        let all = ["a", "b", "c", "d", "e"].map { item($0) }
        hand.send(.range(request: request.number + 1, all))
        #expect(hand.marked == [])
        hand.send(.range(request: request.number, all))
        #expect(hand.marked == ["a", "b", "c", "d", "e"])
        #expect(hand.state.wantedRange == nil)
        hand.press(.tab)
        #expect(hand.marked == ["b", "c", "d", "e"])
        hand.press(alt: "i")
        hand.send(.range(request: try #require(hand.state.wantedRange).number, all))
        #expect(hand.marked == ["a"])
    }

    @Test("A range goes from the last mark to the cursor, in the direction of the hand")
    func ranges() throws {
        var hand = hand()
        hand.press(control: " ")
        #expect(hand.marked == ["a"])
        hand.press(.down)
        hand.press(.down)
        hand.press(control: " ")
        #expect(hand.marked == ["a", "b", "c"])
        // Its start is not in the window any more.
        hand.press(.end, .control)
        hand.show((90..<100).map { "f\($0)" }, total: 100, start: 90)
        hand.press(.end, .control)
        hand.press(control: " ")
        let request = try #require(hand.state.wantedRange)
        #expect(request.query.anchor == "k-f99" && request.query.offset == 4096)
        hand.send(
            .range(request: request.number, ["b", "c", "z", "f99"].map { item($0) }))
        #expect(hand.marked == ["a", "b", "c", "z", "f99"])
        hand.press(.up)
        hand.press(control: " ")
        #expect(hand.marked.last == "f98")
        hand.press(alt: "t")
        hand.show(["p", "q"], total: 100)
        hand.press(control: " ")
        hand.send(.range(request: try #require(hand.state.wantedRange).number, [item("p")]))
        #expect(hand.state.message?.contains("not in this list") == true)
    }

    @Test("There are no more marks than may be")
    func limit() throws {
        var hand = Hand {
            $0.isMulti = true
            $0.mostMarks = 2
        }
        hand.show(["a", "b", "c"])
        for _ in 0..<3 { hand.press(.tab) }
        #expect(hand.marked == ["a", "b"])
        #expect(hand.state.message == "No more than 2 documents can be marked")
        hand.press(alt: "i")
        let request = try #require(hand.state.wantedRange)
        hand.send(.range(request: request.number, ["a", "b", "c"].map { item($0) }))
        #expect(hand.marked == ["c"])
    }

    @Test(
        "Marked documents that are gone stay to be seen, and Enter asks before it takes the others",
        arguments: [
            (["a", "b", "c"], nil, "3", nil),
            (["a", "c"], "1 of 3 is gone: Enter prints the 2, Esc goes back", "2", ["a", "c"]),
            (["b"], "2 of 3 are gone: Enter prints the other, Esc goes back", "1", ["b"]),
            ([], "3 of 3 are gone: Enter unmarks them, Esc goes back", "0", nil),
        ] as [([String], String?, String, [String]?)])
    func gone(left: [String], question: String?, count: String, picked: [String]?) throws {
        var hand = hand()
        for _ in 0..<3 { hand.press(.tab) }
        hand.tellMarked(left.map { item($0) })
        hand.press(.enter)
        guard let question else {
            #expect(hand.picked == ["a", "b", "c"])
            return
        }
        #expect(hand.state.outcome == nil)
        #expect(hand.screen[1] == "  " + question)
        #expect(hand.screen[2].contains("•"))
        var back = hand
        back.press(.escape)
        #expect(back.state.outcome == nil && back.state.marks.count == 3)
        hand.press(.enter)
        #expect(hand.picked == picked)
        if picked == nil { #expect(hand.state.marks.isEmpty) }
    }

    @Test("A document is gone only if the answer is to the question about it")
    func lateAnswers() throws {
        var hand = hand()
        hand.press(.tab)
        let first = try #require(hand.state.wantedMarked)
        hand.press(.tab)
        // The answer to the first question comes late.
        hand.send(.markedRows([item("a")], request: first.number))
        #expect(hand.state.marks.gone.isEmpty)
        hand.tellMarked([item("a")])
        #expect(hand.state.marks.gone.map(\.item.name) == ["b"])
        // It is back.
        hand.tellMarked([item("a"), item("b")])
        #expect(hand.state.marks.gone.isEmpty)
    }

    @Test("Marks with long keys are no more than fit into one request")
    func longKeys() throws {
        var hand = hand()
        hand.press(alt: "a")
        let request = try #require(hand.state.wantedRange)
        let key = String(repeating: "k", count: 1000)
        let items = (0..<100).map { item("f\($0)", key: key + "\($0)") }
        hand.send(.range(request: request.number, items))
        #expect(hand.state.marks.count == 60)
        #expect(hand.state.message == "No more than 60 documents can be marked")
        hand.press(alt: "i")
        hand.send(.range(request: try #require(hand.state.wantedRange).number, items))
        #expect(hand.state.marks.count == 40)
    }

    @Test("A right click on what is gone unmarks it")
    func unmarkGone() {
        var hand = hand()
        hand.press(.tab)
        hand.press(.tab)
        hand.tellMarked([item("b")])
        #expect(hand.screen[2] == " • a")
        hand.send(
            .input(
                .mouse(MouseEvent(.press, button: 2, at: CellPlace(row: 2, column: 4))), seen: 0))
        #expect(hand.marked == ["b"])
    }

    @Test("If keys mean other documents, marks and cursor are found again by root and path")
    func newHistory() throws {
        var hand = hand()
        hand.press(.tab)
        hand.press(.tab)
        #expect(hand.name == "c")
        let other = [item("x", key: "k-a"), item("b", key: "k-c")]
        hand.show(other, total: 50, isNewHistory: true)
        // The key of the mark means another document: that is not marked, and not asked for.
        #expect(hand.state.wantedMarked == nil)
        #expect(hand.query?.anchor == nil)
        let request = try #require(hand.state.wantedRange)
        #expect(
            request.query.filter == .any([.path("a"), .path("b"), .path("c")]))
        // Enter waits for the answer.
        hand.press(.enter)
        #expect(hand.state.outcome == nil)
        hand.send(
            .range(
                request: request.number,
                [
                    item("b", key: "k-c"), item("c", key: "n-c"),
                    item("a", key: "n-other", root: "/elsewhere"),
                ]))
        #expect(hand.state.cursor.key == "n-c")
        #expect(hand.state.overlay != nil)
        #expect(hand.state.marks.gone.map(\.item.name) == ["a"])
        hand.press(.enter)
        #expect(hand.picked == ["b"])
    }
}
