import PickerClient
import Picking
import TerminalCells
import Testing

@Suite("The mouse in a picker")
struct MouseTests {
    private func send(
        _ hand: inout Hand, _ action: MouseEvent.Action, _ row: Int, column: Int = 5,
        button: Int = 0
    ) {
        let event = MouseEvent(action, button: button, at: CellPlace(row: row, column: column))
        hand.send(.input(.mouse(event), seen: hand.frame))
        hand.draw()
    }

    private func hand(_ change: (inout PickOptions) -> Void = { _ in }) -> Hand {
        var hand = Hand(rows: 12, columns: 80, change)
        hand.show((0..<20).map { "f\($0)" })
        return hand
    }

    @Test("A click leads to a row, and only a second one on the same document takes it")
    func clicks() {
        var hand = hand()
        send(&hand, .press, 4)
        #expect(hand.name == "f2")
        #expect(hand.state.wantedTimer?.milliseconds == 400)
        send(&hand, .release, 4)
        send(&hand, .press, 5)
        #expect(hand.name == "f3" && hand.state.outcome == nil)
        send(&hand, .press, 4)
        #expect(hand.name == "f2" && hand.state.outcome == nil)
        send(&hand, .release, 4)
        send(&hand, .press, 4)
        #expect(hand.picked == ["f2"])
    }

    @Test("A document that came under the mouse meanwhile is not taken")
    func slips() {
        var hand = hand()
        send(&hand, .press, 2)
        // The cursor is at the first row, where new ones come in.
        hand.show(["new"] + (0..<20).map { "f\($0)" })
        send(&hand, .press, 2)
        #expect(hand.state.outcome == nil)
        #expect(hand.name == "new")
    }

    @Test("What is between two clicks makes two of them", arguments: 0..<4)
    func between(what: Int) {
        var hand = hand { $0.isMulti = true }
        send(&hand, .press, 4)
        switch what {
        case 0: hand.press(.right)
        case 1: send(&hand, .press, 4, button: 2)
        case 2: send(&hand, .press, 4, button: 1)
        default: hand.type("f")
        }
        hand.show((0..<20).map { "f\($0)" })
        send(&hand, .press, 4)
        #expect(hand.state.outcome == nil)
    }

    @Test("A double click takes what is marked, wherever it is")
    func marked() {
        var hand = hand { $0.isMulti = true }
        send(&hand, .press, 7, button: 2)
        send(&hand, .press, 3)
        send(&hand, .press, 3)
        #expect(hand.picked == ["f5"])
    }

    @Test("The right button marks where several may be marked, and moves no cursor")
    func right() {
        var one = hand()
        send(&one, .press, 4, button: 2)
        #expect(one.marked == [] && one.name == "f0")
        var many = hand { $0.isMulti = true }
        send(&many, .press, 4, button: 2)
        #expect(many.marked == ["f2"] && many.name == "f0")
    }

    @Test("The wheel moves the cursor, or what it is on")
    func wheel() throws {
        var hand = hand { $0.preview = .right }
        send(&hand, .wheelDown, 4)
        send(&hand, .wheelDown, 4)
        send(&hand, .wheelUp, 4)
        #expect(hand.name == "f1")
        let request = try #require(hand.state.wantedPreview)
        let lines = (0..<50).map { StyledText(escaping: "line \($0)") }
        hand.send(
            .preview(request: request.number, .text(lines, firstMatch: nil, isCut: false)))
        send(&hand, .wheelDown, 4, column: 60)
        #expect(hand.name == "f1")
        #expect(hand.screen[2].contains("│line 3"))
        send(&hand, .wheelUp, 4, column: 60)
        #expect(hand.screen[2].contains("│line 0"))
        hand.press(control: "o")
        send(&hand, .wheelDown, 4)
        #expect(hand.name == "f1")
    }
}
