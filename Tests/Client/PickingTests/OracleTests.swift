import PickerClient
import Picking
import TerminalCells
import TestSupport
import Testing

/// A picker against a plain one, over a connection on which everything is late.
@Suite("A picker against a plain one")
struct OracleTests {
    private struct Scene {
        var hand: Hand
        var plain: PlainPicker
        var server = ListServer()
        let tracks: Bool
        let columns: Int

        init(_ random: inout SeededRandom) {
            let tracks = random.chance(0.3)
            self.tracks = tracks
            let isGrid = random.chance(0.5)
            columns = isGrid ? Int.random(in: 13..<80, using: &random) : 30
            hand = Hand(rows: Int.random(in: 4..<40, using: &random), columns: columns) {
                $0.isMulti = true
                $0.tracks = tracks
                $0.isGrid = isGrid
            }
            let perLine = isGrid ? max(1, columns / TileShape.leastColumns) : 1
            plain = PlainPicker(height: 1, perLine: perLine)
            for _ in 0..<Int.random(in: 0..<120, using: &random) { server.add(&random) }
            server.ask(WantedList(number: 0, query: ListQuery()))
            settle()
        }

        /// What holds after each step.
        mutating func settle() {
            let gone = hand.state.marks.gone.count
            let rows = hand.state.size.rows - 2
            let room = rows - min(gone, gone == 0 ? 0 : rows / 3)
            plain.height = max(1, hand.state.isGrid ? room / TileShape.leastRows : room)
            plain.fit()
            if let wanted = hand.state.wantedList { server.ask(wanted) }
        }

        mutating func check(_ step: String) throws {
            let cursor = hand.state.cursor
            // What is not told yet is not known: then the plain one forgets it, too.
            if cursor.key == nil { plain.key = nil }
            try #require(cursor.key == plain.key, "cursor after \(step)")
            try #require(cursor.place == plain.place, "place after \(step)")
            try #require(cursor.row == plain.row, "row after \(step)")
            try #require(hand.state.newAbove == plain.newAbove, "new rows after \(step)")
            try #require(hand.state.marks.all.map(\.key) == plain.marks, "marks after \(step)")
            guard hand.state.rows != nil else { return }
            for (index, name) in hand.names.enumerated() where name != "" && !plain.list.isEmpty {
                let isRight = plain.painted.indices.contains(index) && plain.painted[index] == name
                try #require(isRight, "row \(index) '\(name)' after \(step)")
            }
        }

        mutating func answer() {
            guard let answer = server.takeAnswer() else { return }
            plain.take(answer)
            if answer.update.query == hand.state.queryNumber { plain.landsAtTop = false }
            hand.send(.rows(answer.update))
        }

        /// All that is on its way arrives.
        mutating func drain() throws {
            for round in 0..<200 {
                settle()
                server.takeRequest()
                if server.answers.isEmpty, server.requests.isEmpty { break }
                answer()
                settle()
                try check("arrival \(round)")
            }
            try #require(server.answers.isEmpty && server.requests.isEmpty, "it comes to rest")
        }

        /// Whether row keys act at once.
        var isReady: Bool {
            hand.state.isAnswered && (hand.state.cursor.key != nil || plain.list.isEmpty)
        }

        /// Whether the key of another order acts at once.
        var canSort: Bool { hand.state.cursor.key != nil || !hand.state.cursor.hasMoved }

        mutating func type(_ press: (inout Hand) -> Void) {
            let before = hand.state.queryNumber
            press(&hand)
            if hand.state.queryNumber != before, !tracks { plain.landsAtTop = true }
        }
    }

    private func act(_ scene: inout Scene, _ random: inout SeededRandom) -> String {
        let (perLine, seen) = (scene.plain.perLine, scene.plain.seen)
        let what = Int.random(in: 0..<22, using: &random)
        switch what {
        case 0..<4: scene.server.change(&random)
        case 4..<8: scene.server.takeRequest()
        case 8..<12: scene.answer()
        case 12:
            scene.type { $0.type("abc".randomElement(using: &random).map { String($0) } ?? "") }
        case 13: scene.type { $0.press(.backspace) }
        case 14 where scene.canSort: scene.hand.press(control: "s")
        case 15:
            let rows = Int.random(in: 3..<40, using: &random)
            scene.hand.send(.resized(TerminalSize(rows: rows, columns: scene.columns)))
        case 16 where scene.plain.key != nil:
            scene.server.remove(scene.plain.key ?? "")
        case 17...21 where scene.isReady:
            let place = scene.plain.place
            let isGrid = scene.hand.state.isGrid
            switch Int.random(in: 0..<10, using: &random) {
            case 0: scene.hand.press(.up); scene.plain.move(to: place - perLine)
            case 1, 2: scene.hand.press(.down); scene.plain.move(to: place + perLine)
            case 3: scene.hand.press(.pageDown); scene.plain.move(to: place + seen)
            case 4: scene.hand.press(.pageUp); scene.plain.move(to: place - seen)
            case 8: scene.hand.press(.left); if isGrid { scene.plain.move(to: place - 1) }
            case 9: scene.hand.press(.right); if isGrid { scene.plain.move(to: place + 1) }
            case 5: scene.hand.press(.end, .control); scene.plain.move(to: .max)
            case 6: scene.hand.press(alt: "t"); scene.plain.moveToTop()
            default:
                scene.plain.toggleMark()
                scene.hand.press(.tab)
                scene.plain.move(to: place + 1)
            }
        default: return "nothing"
        }
        return "\(what)"
    }

    @Test(
        "After each key, change and late answer, cursor, marks and rows are those of a plain picker"
    )
    func random() throws {
        try withSeed { random in
            for round in 0..<testRounds(60) {
                var scene = Scene(&random)
                for step in 0..<150 {
                    let what = act(&scene, &random)
                    scene.settle()
                    try scene.check("step \(step) of round \(round): \(what)")
                }
                try scene.drain()
                // At rest, the screen is full of the newest rows.
                let state = scene.hand.state
                let list = scene.server.list(try #require(state.wantedList).query)
                let names = scene.hand.names.filter { $0 != "" }
                let newest = list.dropFirst(state.top).prefix(state.shape.count)
                if !list.isEmpty { try #require(names == newest.map(\.name)) }
            }
        }
    }

    @Test("With other keys for all documents, cursor and marks are on the same ones")
    func newHistory() throws {
        try withSeed { random in
            for round in 0..<testRounds(60) {
                var scene = Scene(&random)
                for step in 0..<100 {
                    _ = act(&scene, &random)
                    scene.settle()
                    try scene.check("step \(step) of round \(round)")
                }
                try scene.drain()
                let marked = scene.hand.state.marks.present
                let hadMoved = scene.hand.state.cursor.hasMoved
                let name = scene.hand.name
                scene.server.beginNewHistory(try #require(scene.hand.state.wantedList))
                scene.plain.marks = []
                while let answer = scene.server.takeAnswer() {
                    scene.hand.send(.rows(answer.update))
                    if let request = scene.hand.state.wantedRange {
                        let all = scene.server.list(ListQuery(sort: ["path"]))
                        scene.hand.send(.range(request: request.number, all))
                    }
                    if let wanted = scene.hand.state.wantedList { scene.server.ask(wanted) }
                    scene.server.takeRequest()
                }
                #expect(scene.hand.state.wantedRange == nil)
                #expect(scene.hand.name == name || !hadMoved)
                let there = Set(scene.server.documents.map(\.name))
                let found = scene.hand.state.marks.present.map(\.name)
                #expect(found == marked.map(\.name).filter { there.contains($0 ?? "") })
                let keys = Set(scene.server.documents.map(\.key))
                #expect(scene.hand.state.marks.present.allSatisfy { keys.contains($0.key) })
            }
        }
    }
}
