import PickerClient
import Picking
import TerminalCells
import Testing

@Suite("What Enter takes")
struct EnterTests {
    private func enter(_ hand: inout Hand, seen: Int) {
        hand.send(.input(.key(KeyPress(.enter)), seen: seen))
    }

    @Test("The document that was under the cursor on the screen, not that which came since")
    func slips() {
        var hand = Hand()
        hand.show(["a", "b"])
        let seen = hand.frame
        // It came in at the top, and was even drawn, but not written yet when the key was read.
        hand.show(["new", "a", "b"])
        #expect(hand.name == "new")
        var now = hand
        enter(&hand, seen: seen)
        #expect(hand.picked == ["a"])
        enter(&now, seen: now.frame)
        #expect(now.picked == ["new"])
    }

    @Test("A key that moved the cursor counts, though no frame has shown it")
    func movesSince() {
        var hand = Hand()
        hand.show(["a", "b", "c"])
        let seen = hand.frame
        hand.send(.input(.key(KeyPress(.down)), seen: seen))
        hand.send(.input(.key(KeyPress(.down)), seen: seen))
        enter(&hand, seen: seen)
        #expect(hand.picked == ["c"])
    }

    @Test("What was seen and is gone is not taken; the next Enter takes what is seen then")
    func vanished() {
        var hand = Hand()
        hand.show(["a", "b", "c"])
        hand.press(.down)
        let seen = hand.frame
        hand.show(["a", "c"])
        enter(&hand, seen: seen)
        #expect(hand.state.outcome == nil)
        #expect(hand.state.message == "'b' is gone")
        hand.draw()
        enter(&hand, seen: hand.frame)
        #expect(hand.picked == ["c"])
    }

    @Test("What was seen has its new name")
    func renamed() {
        var hand = Hand()
        hand.show(["a", "b"])
        let seen = hand.frame
        hand.show([item("new"), item("b"), item("a2", key: "k-a")])
        enter(&hand, seen: seen)
        #expect(hand.picked == ["a2"])
    }

    @Test("With what is typed ahead, it waits for the first rows of the query")
    func typedAhead() throws {
        var hand = Hand()
        hand.send(.input(.text("rep"), seen: 0))
        enter(&hand, seen: 0)
        #expect(hand.state.wantedTimer?.milliseconds == 1000)
        #expect(hand.screen[1].contains("waiting"))
        // No rows of another query are taken, nor is the number of rows before there are some.
        hand.send(
            .rows(RowsUpdate(items: [item("a")], start: 0, total: 1, isComplete: true, query: 0)))
        hand.show([String](), total: 0, isComplete: false)
        #expect(hand.state.outcome == nil)
        hand.show(["rep1", "rep2"], total: 9, isComplete: false)
        #expect(hand.picked == ["rep1"])
    }

    @Test("All that is typed behind a key that waits is done in its order")
    func order() {
        var hand = Hand { $0.isMulti = true }
        hand.type("a")
        hand.press(.down)
        hand.press(.tab)
        hand.type("b")
        hand.press(.tab)
        hand.press(.enter)
        #expect(hand.query?.search == "a")
        hand.show(["a1", "a2", "a3"])
        #expect(hand.query?.search == "ab")
        #expect(hand.state.outcome == nil)
        hand.show(["ab1"])
        #expect(hand.picked == ["a2", "ab1"])
    }

    @Test("After a second it waits no longer, and takes nothing that was not asked for")
    func timeOut() throws {
        var hand = Hand()
        hand.show(["a"])
        hand.type("x")
        hand.press(.enter)
        let timer = try #require(hand.state.wantedTimer)
        hand.send(.timeOut(timer.number))
        #expect(hand.state.outcome == nil)
        #expect(hand.state.message == "There are no rows for this yet")
        // Other keys work on what is there.
        hand.press(.down)
        hand.show(["x"])
        hand.press(.enter)
        #expect(hand.picked == ["x"])
    }

    @Test("If nothing matches, that is the outcome")
    func nothing() {
        var hand = Hand()
        hand.show(["a"])
        hand.type("x")
        hand.show([String]())
        let seen = hand.frame
        #expect(hand.screen[2] == "   nothing matches")
        var late = hand
        enter(&hand, seen: seen)
        #expect(hand.state.outcome == .nothing)
        // Nobody has seen the row that came since.
        late.show(["x"])
        enter(&late, seen: seen)
        #expect(late.state.outcome == .nothing)
    }

    @Test("Esc and its like end at once, whatever waits", arguments: "cgq")
    func cancel(letter: Character) {
        var hand = Hand()
        hand.type("x")
        hand.press(.enter)
        var other = hand
        hand.press(.escape)
        #expect(hand.state.outcome == .cancelled)
        other.press(control: letter)
        #expect(other.state.outcome == .cancelled)
        #expect(other.state.wantedList == nil && other.state.wantedTimer == nil)
        other.show(["x"])
        #expect(other.state.outcome == .cancelled)
    }

    @Test("Control-d deletes, and ends a picker with an empty line")
    func controlD() {
        var hand = Hand()
        hand.type("x")
        hand.press(.home)
        hand.press(control: "d")
        #expect(hand.state.line == "" && hand.state.outcome == nil)
        hand.press(control: "d")
        #expect(hand.state.outcome == .cancelled)
    }

    @Test("A query that the daemon refuses is not waited for")
    func refused() {
        var hand = Hand()
        hand.show(["a"])
        hand.type("x")
        hand.press(.enter)
        hand.send(.refused("no such attribute"))
        #expect(hand.state.message == "no such attribute")
        #expect(hand.state.wantedTimer == nil)
        hand.press(.enter)
        #expect(hand.state.outcome == nil)
    }

    @Test("A double click takes a row, two slow ones do not")
    func mouse() throws {
        var hand = Hand { $0.isMulti = true }
        hand.show(["a", "b", "c"])
        func click(_ row: Int, _ button: Int = 0) {
            hand.send(
                .input(
                    .mouse(
                        MouseEvent(.press, button: button, at: CellPlace(row: row, column: 5))),
                    seen: hand.frame))
        }
        click(3)
        #expect(hand.name == "b")
        hand.send(.timeOut(try #require(hand.state.wantedTimer).number))
        click(3)
        #expect(hand.state.outcome == nil)
        click(4, 2)
        #expect(hand.marked == ["c"])
        click(4, 2)
        #expect(hand.marked == [])
        click(99)
        click(3)
        click(3)
        #expect(hand.picked == ["b"])
    }
}
