import PickerClient
import Picking
import TerminalCells
import Testing

/// No event in any state crashes, or breaks what holds: debug builds check that after each.
@Suite("All events in all states")
struct ExhaustiveTests {
    /// Events of each sort, for a state.
    private func events(_ state: PickState) -> [PickEvent] {
        func key(_ code: KeyPress.Code, _ modifiers: KeyPress.Modifiers = []) -> PickEvent {
            .input(.key(KeyPress(code, modifiers)), seen: 1)
        }
        func rows(_ names: [String], start: Int = 0, total: Int, isNew: Bool = false) -> PickEvent {
            .rows(
                RowsUpdate(
                    items: names.map { item($0) }, start: start, total: total, isComplete: true,
                    query: state.queryNumber, isNewHistory: isNew))
        }
        var events: [PickEvent] = [
            key(.enter), key(.tab), key(.down), key(.end, .control), key(.delete, .alt),
            key(.character("o"), .control), key(.character("a"), .alt), key(.function(1)),
            .input(.text("x"), seen: 1), .input(.text("y"), seen: 0),
            .input(.mouse(MouseEvent(.press, at: CellPlace(row: 3, column: 3))), seen: 1),
            rows(["a", "b", "c"], total: 3), rows([], total: 0), rows(["z"], start: 7, total: 9),
            rows(["a", "c"], total: 2, isNew: true), .drawn(frame: 1),
            .resized(TerminalSize(rows: 1, columns: 1)), .refused("no"),
        ]
        if let marked = state.wantedMarked {
            events.append(.markedRows([item("a")], request: marked.number))
        }
        if let range = state.wantedRange {
            events.append(.range(request: range.number, [item("b"), item("q")]))
        }
        if let timer = state.wantedTimer { events.append(.timeOut(timer.number)) }
        if let offer = state.wantedOffer { events.append(.offered(request: offer.number, [])) }
        if let command = state.wantedCommands.first {
            events.append(.done(id: command.id, failure: nil, uris: ["file:///a"]))
        }
        return events
    }

    private func go(_ state: PickState, depth: Int, _ count: inout Int) {
        count += 1
        // What is wanted and drawn can be made of each state.
        _ = state.wantedList
        if depth == 0 {
            if count % 5 == 0 { _ = PickDrawing.frame(of: state) }
            return
        }
        for event in events(state) {
            let next = PickState.reduce(state, event)
            if state.outcome != nil { #expect(next.outcome == state.outcome) }
            go(next, depth: depth - 1, &count)
        }
    }

    @Test(
        "Three events of all sorts, in each order, from a picker, a grid and a watch",
        arguments: [(true, false), (true, true), (false, false)])
    func all(isPick: Bool, isGrid: Bool) {
        var options = PickOptions()
        options.mode = isPick ? .pick : .watch
        options.isMulti = isPick
        options.isGrid = isGrid
        options.mostMarks = 2
        let empty = PickState(options, size: TerminalSize(rows: 5, columns: 20))
        var count = 0
        go(empty, depth: 3, &count)
        var hand = Hand(options, rows: 5, columns: 20)
        hand.show(["a", "b", "c"])
        hand.press(.down)
        hand.press(.tab)
        go(hand.state, depth: 3, &count)
        #expect(count > 10_000)
    }

    @Test("Rows that no daemon sends do no harm")
    func hostileRows() {
        for (start, total, limit) in [
            (-5, 3, nil), (.max, .max, nil), (0, -1, nil), (0, .max, 2), (3, 0, 0), (.min, .min, 1),
        ] as [(Int, Int, Int?)] {
            var hand = Hand { $0.limit = limit }
            hand.show([item("a"), item("a"), item("b")], total: total, start: start)
            for _ in 0..<2 {
                hand.press(.down)
                hand.press(.end, .control)
                hand.press(.pageDown)
                hand.show([item("a"), item("a")], total: total, start: start)
            }
            _ = hand.screen
            _ = hand.query
        }
    }
}
