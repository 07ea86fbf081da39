import PickerClient
import Picking
import TerminalCells
import Testing

@Suite("The state of a picker")
struct PickStateTests {
    @Test("What is typed is searched for")
    func typing() {
        var hand = Hand()
        hand.type("ab")
        #expect(hand.query?.search == "ab")
        #expect(hand.query?.match == .fuzzy)
        #expect(hand.query?.sort == ["score"])
        #expect(hand.state.wantedList?.number == 1)
        // A blank changes nothing of what is searched for.
        hand.type(" ")
        #expect(hand.state.wantedList?.number == 1)
        hand.press(control: "u")
        #expect(hand.query?.search == nil)
        #expect(hand.query?.sort == ["date"])
    }

    @Test("What decides between equally good documents is not said of the order")
    func ties() {
        var hand = Hand { $0.scoreSort = ["score", "-frecency"] }
        hand.type("ab")
        #expect(hand.query?.sort == ["score", "-frecency"])
        #expect(hand.screen[1].hasSuffix("· by score"))
        hand.press(alt: "s")
        #expect(hand.query?.sort == ["-score", "frecency"])
        #expect(hand.screen[1].hasSuffix("· by -score"))
        hand.press(control: "s")
        #expect(hand.query?.sort == ["-date"])
    }

    @Test("Words with a colon are conditions; a faulty one keeps the list, and is marked")
    func conditions() {
        var hand = Hand()
        hand.type("rep type:pdf sort:-size limit:5")
        #expect(hand.query?.search == "rep")
        #expect(hand.query?.filter == .suffix(["pdf"]))
        #expect(hand.query?.sort == ["-size"])
        #expect(hand.query?.count == 5)
        let query = hand.query
        hand.type(" size:x")
        #expect(hand.query == query)
        #expect(hand.state.fault?.fault == "x")
        #expect(hand.screen[1].contains("'size:' must be followed by a size"))
        hand.show(["a.pdf"])
        hand.press(.enter)
        #expect(hand.state.outcome == nil)
        #expect(hand.state.message?.contains("size") == true)
    }

    @Test("Terms of a fuzzy search that are no query are searched for as they are")
    func terms() {
        for text in ["'a ^b c$", "!a", "a | b", "-a", "(x", "\"open", "12:30"] {
            var hand = Hand()
            hand.type(text)
            #expect(hand.query?.search == text)
            #expect(hand.state.fault == nil)
        }
    }

    @Test("Tab completes a word of the query, and otherwise marks")
    func completion() {
        var hand = Hand { $0.isMulti = true }
        hand.show(["a", "b"])
        hand.type("typ")
        hand.show(["a", "b"])
        hand.press(.tab)
        #expect(hand.state.line == "type:")
        hand.type("pd")
        hand.press(.tab)
        #expect(hand.state.line == "type:pdf")
        #expect(hand.state.wantsAttributes)
        hand.show(["a.pdf", "b.pdf"])
        hand.press(.tab)
        #expect(hand.marked == ["a.pdf"])
        hand.press(control: "u")
        hand.type("imag")
        hand.send(.attributes(["image.width", "image.height"]))
        hand.press(.tab)
        #expect(hand.state.line == "image.")
        #expect(hand.state.message == "image.width:  image.height:")
    }

    @Test("Moving the cursor anchors the window on its document; at the top it is by the start")
    func window() {
        var hand = Hand(rows: 12)
        #expect(hand.query?.anchor == nil)
        #expect(hand.query?.count == 30)
        hand.show((0..<30).map { "f\($0)" }, total: 100)
        hand.press(.down)
        #expect(hand.query?.anchor == "k-f1")
        #expect(hand.query?.offset == 1)
        for _ in 0..<8 { hand.press(.down) }
        #expect(hand.query?.offset == 9)
        // Half a screen below what is seen is still there.
        for _ in 0..<7 { hand.press(.down) }
        #expect(hand.state.cursor.place == 16 && hand.state.cursor.row == 9)
        #expect(hand.query?.offset == 16)
        for _ in 0..<9 { hand.press(.down) }
        #expect(hand.query?.anchor == "k-f25")
        #expect(hand.query?.offset == 19)
        hand.press(alt: "t")
        #expect(hand.query?.anchor == nil && hand.query?.start == 0)
    }

    @Test(
        "Where no rows are yet, the cursor goes by places, and the rows that come have its document"
    )
    func jumps() {
        var hand = Hand(rows: 12)
        hand.show((0..<30).map { "f\($0)" }, total: 1000)
        hand.press(.end, .control)
        #expect(hand.state.cursor.place == 999)
        #expect(hand.state.cursor.key == nil)
        #expect(hand.query?.start == 980)
        hand.show((980..<1000).map { "f\($0)" }, total: 1000, start: 980)
        #expect(hand.name == "f999")
        #expect(hand.query?.anchor == "k-f999")
        #expect(hand.screen.last?.hasPrefix(">  f999") == true)
    }

    @Test("Another order waits until it is known where the cursor went: it stays there")
    func jumpAndSort() {
        var hand = Hand(rows: 12)
        hand.show((0..<30).map { "f\($0)" }, total: 1000)
        hand.press(.end, .control)
        hand.press(control: "s")
        hand.press(alt: "s")
        #expect(hand.query?.sort == ["date"])
        hand.show((980..<1000).map { "f\($0)" }, total: 1000, start: 980)
        #expect(hand.query?.sort == ["-name"])
        #expect(hand.query?.anchor == "k-f999")
        hand.show(["f998", "f999", "f9"], total: 1000, start: 1)
        #expect(hand.name == "f999")
    }

    @Test("Rows above the cursor are counted; it keeps its document and its row of the screen")
    func newAbove() {
        var hand = Hand()
        hand.show(["a", "b", "c"])
        hand.press(.down)
        hand.show(["x", "y", "a", "b", "c"])
        #expect(hand.name == "b")
        #expect(hand.state.newAbove == 2)
        #expect(hand.screen[1].contains("2 new above"))
        hand.press(.down)
        #expect(hand.state.newAbove == 0)
        hand.press(alt: "t")
        hand.show(["z", "x", "y", "a", "b", "c"])
        #expect(hand.name == "z" && hand.state.newAbove == 0)
    }

    @Test("The row that took the place of a vanished one gets the cursor")
    func vanishing() {
        var hand = Hand()
        hand.show(["a", "b", "c", "d"])
        hand.press(.down)
        hand.show(["a", "c", "d"])
        #expect(hand.name == "c")
        hand.press(.down)
        #expect(hand.name == "d")
        hand.show(["a", "c"])
        #expect(hand.name == "c")
        hand.show([String]())
        #expect(hand.name == nil)
        hand.show(["q", "r"])
        #expect(hand.name == "q")
    }

    @Test("Typing sends the cursor to the first row, unless it is to stay; another order keeps it")
    func typingAndSorting() {
        for tracks in [false, true] {
            var hand = Hand { $0.tracks = tracks }
            hand.show(["a", "b", "c"])
            hand.press(.down)
            hand.type("x")
            #expect(hand.query?.anchor == (tracks ? "k-b" : nil))
            hand.show(["a", "c", "b"])
            #expect(hand.name == (tracks ? "b" : "a"))
        }
        var hand = Hand()
        hand.show(["a", "b", "c"])
        hand.press(.down)
        hand.press(control: "s")
        #expect(hand.query?.sort == ["name"])
        #expect(hand.query?.anchor == "k-b")
        hand.show(["c", "a", "b"])
        #expect(hand.name == "b" && hand.state.newAbove == 0)
        hand.press(alt: "s")
        #expect(hand.query?.sort == ["-name"])
        #expect(hand.screen[1].contains("by -name"))
    }

    @Test("Rows of a window that was asked for earlier do not take the cursor's document away")
    func lateRows() {
        var hand = Hand()
        hand.show((0..<30).map { "f\($0)" }, total: 100)
        hand.press(.down)
        hand.press(.down)
        // The document of the former anchor has gone to the end, and its window with it.
        var late = RowsUpdate(
            items: (70..<100).map { item("f\($0)") }, start: 70, total: 100, isComplete: true,
            query: 0, place: .anchor("k-f1"))
        hand.send(.rows(late))
        #expect(hand.name == "f2")
        late.place = .anchor("k-f2")
        late.start = 0
        late.items = (0..<30).map { item("f\($0 + 100)") }
        // This is the answer for that document: it is no more.
        hand.send(.rows(late))
        #expect(hand.name == "f102")
    }

    @Test("Answers to earlier queries are shown until there is a better one, and no longer")
    func earlierAnswers() {
        var hand = Hand()
        hand.show(["a", "b"])
        hand.type("x")
        hand.type("y")
        hand.send(
            .rows(RowsUpdate(items: [item("x")], start: 0, total: 1, isComplete: true, query: 1)))
        #expect(hand.name == "x")
        #expect(!hand.state.isAnswered)
        hand.show(["xy"])
        hand.send(
            .rows(RowsUpdate(items: [item("x")], start: 0, total: 1, isComplete: true, query: 1)))
        #expect(hand.name == "xy")
    }

    @Test("The list has no more rows than were asked for")
    func limit() {
        var hand = Hand { $0.limit = 3 }
        #expect(hand.query?.count == 3)
        hand.show(["a", "b", "c", "d", "e"], total: 50)
        hand.press(.end, .control)
        #expect(hand.name == "c")
        #expect(hand.screen[1].contains("3/3"))
        // New rows push the document under the cursor out.
        hand.show(["x", "a", "b", "c"], total: 51)
        #expect(hand.name == "b")
    }

    @Test("Rows of an earlier query are dimmed after a while, and nothing wakes a picker at rest")
    func timers() throws {
        var hand = Hand()
        hand.show(["a"])
        #expect(hand.state.wantedTimer == nil)
        hand.type("x")
        let timer = try #require(hand.state.wantedTimer)
        #expect(!hand.state.isStale)
        hand.send(.timeOut(timer.number))
        #expect(hand.state.isStale)
        #expect(hand.state.wantedTimer == nil)
        hand.show(["x"])
        #expect(!hand.state.isStale && hand.state.wantedTimer == nil)
    }
}
