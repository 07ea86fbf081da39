import PickerClient
import Picking
import TerminalCells
import Testing
import WireProtocol

@Suite("Actions of a picker")
struct ActionTests {
    /// Actions, as a daemon offers them.
    private func actions() throws -> [DocumentAction] {
        func json(_ id: String, many: Bool, writes: Bool) -> String {
            "{\"id\":\"\(id)\",\"title\":\"Do \(id)\",\"many\":\(many),\"writes\":\(writes)}"
        }
        let list = [
            json("open", many: true, writes: false), json("one", many: false, writes: false),
            json("pack", many: true, writes: true),
        ].joined(separator: ",")
        let line = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[\(list)]}"
        guard case .reply(let reply) = try WireMessage(parsing: Array(line.utf8)) else { return [] }
        return try DaemonRequest.actions(keys: []).read(reply.outcome.get()).get()
    }

    private func hand() -> Hand {
        var hand = Hand { $0.isMulti = true }
        hand.show([item("a"), item("b", liked: true), item("c")])
        return hand
    }

    @Test("Likes are for what is marked, or else for what is under the cursor; they are taken back")
    func likes() throws {
        var hand = hand()
        hand.press(.tab)
        hand.press(.tab)
        hand.press(alt: "l")
        let command = try #require(hand.state.wantedCommands.first)
        #expect(command.deed == .like(keys: ["k-a"], true))
        hand.send(.done(id: command.id, failure: nil, uris: []))
        #expect(hand.state.wantedCommands == [])
        #expect(hand.state.message == "1 document liked; alt-z takes it back")
        hand.press(alt: "z")
        let back = try #require(hand.state.wantedCommands.first)
        #expect(back.deed == .like(keys: ["k-a"], false))
        hand.send(.done(id: back.id, failure: nil, uris: []))
        hand.press(alt: "z")
        #expect(hand.state.message == "There is nothing to take back")
    }

    @Test("What all have is taken from all")
    func unlike() {
        var hand = hand()
        hand.press(.down)
        hand.press(alt: "l")
        #expect(hand.state.wantedCommands.map(\.deed) == [.like(keys: ["k-b"], false)])
    }

    @Test("Dropped documents are no longer marked, and come back")
    func drops() throws {
        var hand = hand()
        hand.press(.tab)
        hand.press(alt: "x")
        let command = try #require(hand.state.wantedCommands.first)
        #expect(command.deed == .drop(keys: ["k-a"]))
        hand.send(.done(id: command.id, failure: "the daemon is gone", uris: []))
        #expect(hand.marked == ["a"])
        #expect(hand.state.message == "the daemon is gone")
        hand.press(alt: "x")
        hand.send(
            .done(id: try #require(hand.state.wantedCommands.first).id, failure: nil, uris: []))
        #expect(hand.marked == [])
        hand.press(alt: "z")
        #expect(hand.state.wantedCommands.map(\.deed) == [.restore(keys: ["k-a"])])
    }

    @Test("The trash is asked about, and Enter alone is no answer")
    func trash() throws {
        var hand = hand()
        hand.press(.delete, .alt)
        #expect(hand.screen[1] == "  Move 'a' to the trash? y/n")
        hand.press(.enter)
        #expect(hand.state.wantedCommands == [])
        hand.type("n")
        #expect(hand.state.overlay == nil && hand.state.wantedCommands == [])
        hand.press(.delete, .alt)
        hand.type("y")
        let command = try #require(hand.state.wantedCommands.first)
        #expect(command.deed == .run("documents.trash", keys: ["k-a"], isConfirmed: true))
        hand.send(.done(id: command.id, failure: nil, uris: ["file:///t/a"]))
        hand.press(alt: "z")
        #expect(hand.state.wantedCommands.map(\.deed) == [.untrash(uris: ["file:///t/a"])])
    }

    @Test("Actions are asked for, chosen, and asked about if they change files")
    func offer() throws {
        var hand = hand()
        hand.press(control: "o")
        let request = try #require(hand.state.wantedOffer)
        #expect(request.keys == ["k-a"])
        hand.send(.offered(request: request.number + 1, []))
        #expect(hand.state.wantedOffer == request)
        let actions = try actions()
        hand.send(.offered(request: request.number, actions))
        #expect(hand.state.wantedOffer == nil)
        let shown = ["  Actions", "  Do open", "  Do one", "  Do pack …"]
        #expect(zip(hand.screen[1...4], shown).allSatisfy { $0.hasPrefix($1) })
        hand.press(.down)
        hand.press(.enter)
        #expect(
            hand.state.wantedCommands.map(\.deed) == [
                .run("one", keys: ["k-a"], isConfirmed: false)
            ])
        hand.press(control: "o")
        hand.send(.offered(request: try #require(hand.state.wantedOffer).number, actions))
        for _ in 0..<5 { hand.press(.down) }
        hand.press(.enter)
        hand.type("y")
        #expect(
            hand.state.wantedCommands.last?.deed == .run("pack", keys: ["k-a"], isConfirmed: true))
        // Of several documents, only what can be done to several.
        hand.press(.tab)
        hand.press(.tab)
        hand.press(control: "o")
        hand.send(.offered(request: try #require(hand.state.wantedOffer).number, actions))
        #expect(!hand.screen.joined().contains("Do one"))
        hand.press(.escape)
        #expect(hand.state.overlay == nil && hand.state.outcome == nil)
    }

    @Test("ctrl-/ wraps the lines of a preview, and scrolling then leads to the last one")
    func wrapping() throws {
        var hand = Hand(rows: 6, columns: 61) { $0.preview = .right }
        hand.show(["a"])
        let request = try #require(hand.state.wantedPreview)
        let lines = [String(repeating: "x", count: 40), "y", "z"].map { StyledText(escaping: $0) }
        hand.send(.preview(request: request.number, .text(lines, firstMatch: nil, isCut: false)))
        func preview() -> [String] { hand.screen[2...].map { String($0.dropFirst(31)) } }
        let cut = String(repeating: "x", count: 29) + "…"
        #expect(preview() == [cut, "y", "z", ""])
        hand.press(control: "/")
        let (head, tail) = (String(repeating: "x", count: 30), String(repeating: "x", count: 10))
        #expect(preview() == [head, tail, "y", "z"])
        for _ in 0..<9 { hand.press(.down, .shift) }
        #expect(preview() == ["z", "", "", ""])
        for _ in 0..<9 { hand.press(.up, .shift) }
        hand.press(control: "/")
        #expect(preview() == [cut, "y", "z", ""])
    }

    @Test("A preview is asked for anew when its file changes, and late ones are not shown")
    func preview() throws {
        var hand = Hand(rows: 10, columns: 60) { $0.previewCommand = "cat {}" }
        hand.show([item("d/a"), item("b")])
        #expect(hand.state.wantedPreview == nil)
        hand.press(alt: "p")
        let first = try #require(hand.state.wantedPreview)
        #expect(String(decoding: first.path, as: UTF8.self) == "/home/d/a")
        #expect(first.area == TerminalSize(rows: 8, columns: 29))
        #expect(first.command == "cat {}")
        hand.draw()
        #expect(hand.state.wantedPreview == first)
        let lines = (0..<20).map { StyledText(escaping: "line \($0)") }
        hand.send(.preview(request: first.number, .text(lines, firstMatch: 9, isCut: true)))
        #expect(hand.screen[2].hasSuffix("│line 6"))
        hand.show([item("d/a", size: 101), item("b")])
        let second = try #require(hand.state.wantedPreview)
        #expect(second.number != first.number)
        // The former text is shown until there is the new one.
        #expect(hand.screen[2].hasSuffix("│line 6"))
        hand.press(.down, .shift)
        #expect(hand.screen[2].hasSuffix("│line 7"))
        for _ in 0..<20 { hand.press(.down, .shift) }
        #expect(hand.screen[9].hasSuffix("│line 19"))
        hand.send(.preview(request: first.number, .failed("late")))
        #expect(hand.screen[9].hasSuffix("│line 19"))
        hand.send(.preview(request: second.number, .failed("can't be read")))
        #expect(hand.screen[2].hasSuffix("│can't be read"))
        hand.press(.down)
        #expect(hand.screen[2].hasSuffix("│"))
        hand.press(alt: "p")
        #expect(hand.state.wantedPreview == nil)
    }

    @Test("Help lies over the list, and goes away")
    func help() {
        var hand = hand()
        hand.press(.function(1))
        #expect(hand.screen[1] == "  Keys")
        hand.press(.down)
        hand.press(.escape)
        #expect(hand.state.overlay == nil && hand.state.outcome == nil && hand.name == "a")
    }
}
