// Batches: in several turns, at one revision, with calls that are answered later.

import DocumentsPlugin
import EventLoops
import EventsPlugin
import FeedPlugin
import ItemsPlugin
import JSONText
import PickerModel
import PluginInterface
import TestSupport
import Testing
import WireProtocol

@testable import PickerService

@Suite struct BatchTests {
    private let slow = SlowPlugin()
    private let folder: TemporaryFolder
    private let fixture: ServerFixture
    private let client: TestClient

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("a.md", "a")
        fixture = ServerFixture(
            plugins: [
                EventsPlugin(), FeedPlugin(), DocumentsPlugin(), ItemsPlugin(), slow,
            ], settings: HostSettings(roots: [FileName(folder.path)]))
        fixture.loop.turn()
        client = try fixture.connect()
    }

    private func calls(_ method: String, _ count: Int) -> [JSONValue] {
        Array(repeating: ["method": JSONValue(method)], count: count)
    }

    @Test("another client is served between the calls of a batch")
    func turns() throws {
        slow.onSpend = { [fixture] in fixture.loop.spend(.milliseconds(5)) }
        var done = 0
        let spend = slow.onSpend
        slow.onSpend = {
            spend()
            done += 1
        }
        let other = try fixture.connect()
        client.send("batch", ["calls": .array(calls("slow.spend", 300))], id: 1)
        other.send("daemon.ping", id: 2)
        while other.readBytes() == 0 {
            guard fixture.loop.runOne() else { break }
        }
        #expect(try other.takeLines().map { $0["id"] } == [2])
        // An answer is sent at the end of a turn, after 64 handlers at most.
        #expect(done < 70, "\(done) calls came first")
        let result = try #require(try client.exchange().first?["result"])
        #expect(result["results"]?.arrayValue?.count == 300 && done == 300)
        #expect(fixture.loop.nextTimer == nil && !fixture.documents.hold.isOn)
    }

    @Test("cheap calls are divided into turns as well")
    func countedTurns() throws {
        client.send("batch", ["calls": .array(calls("daemon.ping", 1000))], id: 1)
        let before = fixture.loop.handlersRun
        let result = try #require(try client.exchange().first?["result"])
        #expect(result["results"]?.arrayValue?.count == 1000)
        #expect(fixture.loop.handlersRun - before > 30)
    }

    @Test("no change of the files comes between the calls of a batch in many turns")
    func oneRevision() throws {
        let looks: JSONValue = ["method": "items.get"]
        var wanted: [JSONValue] = []
        for _ in 0..<40 { wanted += [looks] + calls("slow.spend", 3) }
        slow.onSpend = { [fixture, folder] in
            fixture.loop.spend(.milliseconds(2))
            // Another process changes the folder meanwhile.
            try? folder.write("n\(fixture.loop.now.nanoseconds)", "x")
        }
        let before = fixture.documents.rev
        client.send("batch", ["calls": .array(wanted)], id: 1)
        let result = try #require(try client.exchange().first?["result"])
        let revisions = result["results"]?.arrayValue?.compactMap { $0["result"]?["rev"] } ?? []
        #expect(revisions.count == 40)
        #expect(
            revisions.allSatisfy { $0 == JSONValue(before) } && result["rev"] == revisions.first)
        fixture.loop.advance(by: .seconds(1))
        #expect(fixture.documents.count == 121, "what happened meanwhile is seen afterwards")
    }

    @Test(
        "a call that changes documents is seen by later calls, as are others' changes up to then"
    )
    func changes() throws {
        slow.onSpend = { [folder] in try? folder.write("b.md", "b") }
        let key = try #require(fixture.documents.documents.first?.key)
        let calls: JSONValue = [
            ["method": "slow.spend"], ["method": "items.get"],
            ["method": "items.get"], ["method": "documents.create", "params": ["name": "c.md"]],
            ["method": "items.get"], ["method": "items.drop", "params": ["key": JSONValue(key)]],
            ["method": "items.get"], ["method": "sync"], ["method": "items.get"],
        ]
        let result = try #require(try client.reply("batch", ["calls": calls])["result"])
        let totals = [1, 2, 4, 6, 8].map { result["results"]?[$0]?["result"]?["total"] }
        #expect(totals == [2, 2, 4, 3, 3])
        #expect(result["rev"] == result["results"]?[8]?["result"]?["rev"])
        #expect(result["rev"] == JSONValue(fixture.documents.rev))
    }

    @Test(
        "a call that waits for the files, or changes them, releases the hold of its batch"
    )
    func changesWhileHeld() throws {
        slow.onSpend = { [fixture, folder] in
            fixture.loop.spend(.milliseconds(2))
            try? folder.write("n\(fixture.loop.now.nanoseconds)", "x")
        }
        let look = calls("items.get", 1)
        let spend = calls("slow.spend", 3)
        let wanted = look + spend + look + calls("sync", 1) + look + spend + look
        client.send("batch", ["calls": .array(wanted)], id: 1)
        let results = try #require(try client.exchange().first?["result"]?["results"]?.arrayValue)
        #expect(results.allSatisfy { $0["error"] == nil }, "\(results)")
        let totals = results.compactMap { $0["result"]?["total"] }
        #expect(totals == [2, 2, 5, 5])
        #expect(!fixture.documents.hold.isOn)
    }

    @Test("a like behind calls with a hold releases it, takes effect and is answered")
    func likeWhileHeld() throws {
        // What a thread has stored waits for the documents; without a state folder nothing waits.
        let state = try TemporaryFolder()
        let slow = SlowPlugin()
        let fixture = ServerFixture(
            plugins: [FeedPlugin(), DocumentsPlugin(), ItemsPlugin(), slow],
            settings: HostSettings(roots: [FileName(folder.path)], stateFolder: state.path))
        fixture.loop.turn()
        let client = try fixture.connect()
        slow.onSpend = { [fixture] in fixture.loop.spend(.milliseconds(2)) }
        let key = try #require(fixture.documents.documents.first?.key)
        let like: JSONValue = [
            "method": "items.like", "params": ["key": JSONValue(key), "liked": true],
        ]
        let look: JSONValue = ["method": "items.get", "params": ["sort": "name"]]
        let wanted = calls("slow.spend", 3) + [look, like, look] + calls("slow.spend", 3) + [look]
        client.send("batch", ["calls": .array(wanted)], id: 1)
        while !fixture.documents.hold.isOn { try #require(fixture.loop.runOne()) }
        let start = fixture.loop.now
        #expect(fixture.loop.run { client.readBytes() > 0 }, "it is answered")
        let answer = try client.takeLines().first
        let results = try #require(answer?["result"]?["results"]?.arrayValue)
        #expect(results.allSatisfy { $0["error"] == nil }, "\(results)")
        let liked = [3, 5, 9].map { index in
            results[index]["result"]?["items"]?.arrayValue?.contains { $0["liked"] == true }
        }
        #expect(liked == [false, true, true])
        #expect(results[4]["result"] == ["liked": true])
        #expect(!fixture.documents.hold.isOn)
        // Nothing waited for the batch's time limit.
        #expect(start.duration(to: fixture.loop.now) < .milliseconds(100))
    }

    @Test("another client's changes wait for the end of a batch in several turns")
    func othersWait() throws {
        slow.onSpend = { [fixture] in fixture.loop.spend(.milliseconds(2)) }
        client.send(
            "batch", ["calls": .array(calls("slow.spend", 50) + calls("items.get", 1))], id: 1)
        while !fixture.documents.hold.isOn { try #require(fixture.loop.runOne()) }
        let before = fixture.documents.rev
        let other = try fixture.connect()
        other.send("documents.create", ["name": "new.md"], id: 2)
        other.send("items.get", id: 3)
        let lines = try client.exchange()
        #expect(lines.first?["result"]?["rev"] == JSONValue(before))
        #expect(lines.first?["result"]?["results"]?[50]?["result"]?["total"] == 2)
        let answers = try other.exchange()
        #expect(answers.map { $0["id"] } == [2, 3])
        #expect(answers.last?["result"]?["total"] == 3)
    }

    @Test("two long batches each see one revision, and so does a short one")
    func several() throws {
        slow.onSpend = { [fixture, folder] in
            fixture.loop.spend(.milliseconds(2))
            try? folder.write("n\(fixture.loop.now.nanoseconds)", "x")
        }
        let wanted = calls("items.get", 1) + calls("slow.spend", 100) + calls("items.get", 1)
        let clients = try (0..<3).map { _ in try fixture.connect() }
        for client in clients { client.send("batch", ["calls": .array(wanted)], id: 1) }
        client.send("batch", ["calls": .array(calls("items.get", 2))], id: 1)
        var seen: [JSONValue] = []
        fixture.loop.advance(by: .seconds(1))
        for client in clients + [client] {
            let result = try #require(try client.exchange().first?["result"])
            let results = try #require(result["results"]?.arrayValue)
            #expect(results.first?["result"]?["rev"] == results.last?["result"]?["rev"])
            #expect(results.allSatisfy { $0["error"] == nil })
            seen.append(result["rev"] ?? .null)
        }
        #expect(!fixture.documents.hold.isOn && fixture.server.waitingBatches.isEmpty)
        #expect(Set(seen.map(\.description)).count > 1, "changes come between two batches")
    }

    @Test("a call may be answered later; those behind it wait for it")
    func laterAnswers() throws {
        let wanted: JSONValue = [
            ["method": "daemon.ping"], ["method": "slow.wait"], ["method": "slow.never"],
            ["method": "daemon.ping"],
        ]
        client.send("batch", ["calls": wanted], id: 1)
        client.send("daemon.ping", id: 2)
        #expect(try client.exchange().isEmpty)
        slow.replies[0].resolve { $0.integer(5) }
        let lines = try client.exchange()
        #expect(lines.map { $0["id"] } == [1, 2])
        let results = lines.first?["result"]?["results"]
        #expect(results?[1] == ["result": 5] && results?[3] == ["result": [:]])
        #expect(results?[2]?["error"]?["code"] == 1003)
    }

    @Test("calls that are not done at the time limit are refused, with their numbers")
    func budget() throws {
        slow.onSpend = { [fixture] in fixture.loop.spend(.milliseconds(100)) }
        client.send("batch", ["calls": .array(calls("slow.spend", 50))], id: 1)
        let results = try #require(try client.exchange().first?["result"]?["results"]?.arrayValue)
        let done = results.prefix { $0["result"] != nil }.count
        #expect(results.count == 50 && (20...22).contains(done))
        for (index, result) in results.enumerated().dropFirst(done) {
            let error = try ProtocolError(line: result)
            #expect(error.kind == .limitExceeded && error.limit == 2000)
            #expect(error.message.contains("call \(index + 1) of 50"))
        }
        // A call that is answered later holds the documents no longer than that either.
        client.send("batch", ["calls": .array(calls("slow.wait", 2))], id: 2)
        fixture.loop.turn()
        #expect(fixture.documents.hold.isOn)
        fixture.loop.advance(by: .seconds(2))
        let rest = try #require(try client.exchange().first?["result"]?["results"])
        #expect(rest[0]?["error"]?["code"] == 1008 && rest[1]?["error"]?["code"] == 1008)
        #expect(slow.ended == 1 && !fixture.documents.hold.isOn)
    }

    @Test("a batch can be cancelled, and ends with its client", arguments: [false, true])
    func cancel(leaves: Bool) throws {
        var done = 0
        slow.onSpend = { [fixture] in
            fixture.loop.spend(.milliseconds(2))
            done += 1
        }
        let wanted = calls("slow.spend", 50) + calls("slow.wait", 1) + calls("slow.spend", 50)
        client.send("batch", ["calls": .array(wanted)], id: 1)
        while done < 10 { try #require(fixture.loop.runOne()) }
        if leaves {
            client.close()
        } else {
            client.send(#"{"method":"$/cancel","params":{"id":1}}"#)
            #expect(try client.exchange().map { $0["error"]?["code"] } == [1002])
        }
        fixture.loop.turn()
        if leaves {
            // Its requests are still executed, within the time limit.
            fixture.loop.advance(by: .seconds(3))
            #expect(done == 50 && slow.ended == 1 && fixture.server.sessions.count == 0)
        } else {
            #expect(done < 20)
        }
        // A server without clients has a timer of its own for a while.
        fixture.loop.advance(by: .seconds(3))
        #expect(!fixture.documents.hold.isOn && fixture.loop.nextTimer == nil)
        #expect(fixture.server.heldBatch == nil && fixture.server.waitingBatches.isEmpty)
    }
}
