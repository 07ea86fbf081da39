import DataBus
import FeedStorage
import JSONText
import Observables
import PickerModel
import PluginInterface
import StateFolder
import Synchronization
import TestSupport
import Testing
import WireProtocol

@Suite struct FeedPluginTests {
    private let run: FeedRun
    private let keys: [JSONValue]
    private let told = Told()

    private final class Told {
        var topics: [String] = []
    }

    private init() throws {
        run = try FeedRun()
        keys = run.add("a", "b", "c").map { JSONValue($0.key) }
    }

    @Test("A like takes effect and is answered once stored; without a value it toggles")
    func like() throws {
        let later = run.session.begin("items.like", ["key": keys[0]])
        #expect(later.value == nil)
        #expect(try run.list() == ["a", "b", "c"])
        #expect(try run.answer(later).get() == ["liked": true])
        #expect(try run.list() == ["♥a", "b", "c"])
        #expect(run.stored.map(\.file.place.path.text) == ["a"])
        #expect(run.batches.last?.isDurable == true)
        #expect(try run.call("items.like", ["key": keys[0], "liked": true]) == ["liked": true])
        #expect(try run.call("items.like", ["key": keys[1]]) == ["liked": true])
        #expect(try run.call("items.like", ["key": keys[0]]) == ["liked": false])
        #expect(try run.list() == ["a", "♥b", "c"])
        #expect(run.batches.count == 3, "what changes nothing is not stored")
        #expect(try run.list(["sort": ["-liked", "-name"]]) == ["♥b", "c", "a"])
    }

    @Test("An open list gets likes as updates, drops as deletions")
    func deltas() throws {
        _ = try run.session.call("items.open", ["fields": ["liked"]], id: 7).get()
        _ = run.session.read()
        _ = try run.call("items.like", ["key": keys[1], "liked": true])
        var delta = try #require(run.session.read().first?["params"])
        #expect(delta["updated"] == [[2, ["liked": true]]])
        _ = try run.call("items.like", ["key": keys[1], "liked": false])
        delta = try #require(run.session.read().first?["params"])
        #expect(delta["updated"] == [[2, ["liked": .null]]])
        _ = try run.call("items.drop", ["key": keys[0]])
        delta = try #require(run.session.read().first?["params"])
        #expect(delta["deleted"] == [1] && delta["total"] == 3)
        #expect(run.documents[key: keys[0].stringValue ?? ""]?.path.text == "a")
        _ = try run.call("items.restore", ["all": true])
        delta = try #require(run.session.read().first?["params"])
        #expect(delta["inserted"]?[0]?[0] == 1 && delta["total"] == 4)
    }

    @Test("Several documents are one transaction and one revision, all or none")
    func several() throws {
        let rev = run.documents.rev
        _ = try run.call("items.like", ["keys": .array(keys), "liked": true])
        #expect(run.batches.count == 1 && run.documents.rev == rev + 1)
        let refused = try run.refusal("items.drop", ["keys": [keys[0], "nobody", keys[1]]])
        #expect(refused?.kind == .noSuchItem && refused?.message.contains("nobody") == true)
        _ = try run.call("items.drop", ["keys": .array(keys)])
        #expect(try run.list() == [])
        _ = try run.call("items.restore", ["keys": [keys[2]]])
        #expect(try run.list() == ["♥c"])
    }

    @Test("Requests of a turn are planned at the same cost each, however many they are")
    func costOfPlanning() throws {
        func cost(_ count: Int) throws -> Cost {
            let run = try FeedRun()
            let documents = run.addMany(count + 1)
            _ = try run.call("items.like", ["key": .string(documents[count].key)])
            run.store.state.withLock { $0.isHeld = true }
            let answers = documents.prefix(count).map {
                run.session.begin("items.like", ["key": .string($0.key), "liked": true])
            }
            let cost = Cost.of {
                while !run.loop.isIdle { run.loop.turn() }
            }
            run.store.state.withLock { $0.isHeld = false }
            for answer in answers {
                #expect(try run.answer(answer).get() == ["liked": true])
            }
            run.end()
            return cost
        }
        let few = try cost(100)
        let many = try cost(1000)
        #expect(many.bytes < 15 * few.bytes, "\(many), and of a tenth \(few)")
        #expect(many.retains < 15 * few.retains, "\(many), and of a tenth \(few)")
    }

    @Test("A request for many documents is planned in parts, and fails whole if one is gone")
    func plannedInParts() throws {
        let documents = run.addMany(1000)
        _ = try run.call("items.like", ["key": .string(documents[0].key)])
        let before = run.stored
        let keys = JSONValue.array(documents.map { .string($0.key) })
        // At most 24 documents in each.
        let parts = 1000 / 24
        // The last document goes before its part.
        let failing = run.session.begin("items.like", ["keys": keys, "liked": true])
        run.loop.runOne()
        run.documents.apply(removed: [documents[999]])
        guard case .failure(let error) = try run.answer(failing) else {
            Issue.record("a document that is gone was liked")
            return
        }
        #expect(error.kind == .noSuchItem && error.message.contains(documents[999].key))
        #expect(run.stored == before)
        // The first goes after it was planned.
        let liking = run.session.begin(
            "items.like",
            ["keys": .array(documents.prefix(999).map { .string($0.key) }), "liked": true])
        var turns = 0
        for _ in 0..<3 {
            run.loop.runOne()
            turns += 1
        }
        run.documents.apply(removed: [documents[1]])
        while liking.value == nil, !run.loop.isIdle {
            run.loop.runOne()
            turns += 1
        }
        #expect(turns >= parts, "\(turns) turns, for \(parts) parts")
        #expect(try run.answer(liking).get() == ["liked": true])
        #expect(run.stored.count == 999)
        // That a file is gone is stored after the answer.
        #expect(run.loop.run { run.stored.contains { $0.goneSince != nil } })
        let gone = run.stored.filter { $0.goneSince != nil }
        #expect(gone.map(\.file.place.path) == [FileName("file 1")])
        #expect(run.documents.marks.count == 999)
    }

    @Test("Fewer marks take effect at once while what follows the documents needs long for them")
    func slowEffect() throws {
        let keys = JSONValue.array(run.addMany(200).map { .string($0.key) })
        var parts: [Int] = []
        var isSlow = true
        let connection = run.documents.documents(in: .listed).changes.connect { [loop = run.loop] in
            parts.append($0.inserted.count)
            if isSlow { loop.spend(.milliseconds(1)) }
        }
        _ = try run.call("items.like", ["keys": keys, "liked": true])
        #expect(parts == [6] + Array(repeating: 3, count: 64) + [2])
        isSlow = false
        parts = []
        _ = try run.call("items.like", ["keys": keys, "liked": false])
        #expect(parts == [3, 6, 12] + Array(repeating: 24, count: 7) + [11])
        withExtendedLifetime(connection) {}
    }

    @Test("Requests of a turn, and those that come while the disk is busy, are stored together")
    func gathered() throws {
        run.store.state.withLock { $0.isHeld = true }
        let first = run.session.begin("items.like", ["key": keys[0]])
        run.loop.turn()
        var later: [FakeSession.LaterAnswer] = []
        for _ in 0..<500 {
            later.append(run.session.begin("items.like", ["key": keys[1]]))
            later.append(run.session.begin("items.drop", ["key": keys[2]]))
        }
        run.store.state.withLock { $0.isHeld = false }
        #expect(try run.answer(first).get() == ["liked": true])
        for (index, answer) in later.enumerated() where index % 2 == 0 {
            #expect(try run.answer(answer).get() == ["liked": JSONValue(index % 4 == 0)])
        }
        #expect(run.batches.count == 2)
        #expect(try run.list() == ["♥a", "b"])
    }

    @Test("More requests than can wait are refused, with a time to try again")
    func bounded() throws {
        run.store.state.withLock { $0.isHeld = true }
        let first = run.session.begin("items.like", ["key": keys[0]])
        run.loop.turn()
        let later = (0..<1100).map { _ in run.session.begin("items.like", ["key": keys[1]]) }
        let refused = later.filter { $0.value != nil }
        #expect(refused.count == 1100 - 1024)
        for answer in refused {
            guard case .failure(let error)? = answer.value else { continue }
            #expect(error.kind == .overloaded && error.retryAfterMs == 100)
        }
        run.store.state.withLock { $0.isHeld = false }
        for answer in later + [first] { _ = try run.answer(answer) }
        #expect(try run.list() == ["♥a", "b", "c"])
    }

    @Test("A failed write is refused without changes; later it succeeds")
    func failures() throws {
        _ = try run.call("items.like", ["key": keys[2]])
        for code in [StorageError.Code.full, .failed, .damaged] {
            run.store.state.withLock { $0.writeError = StorageError(code, "out of room") }
            let rev = run.documents.rev
            for method in ["items.like", "items.drop"] {
                let error = try run.refusal(method, ["key": keys[0]])
                #expect(error?.kind == .overloaded && error?.retryAfterMs == 1000)
                #expect(error?.message.contains("out of room") == true)
            }
            #expect(run.documents.rev == rev)
            #expect(try run.list() == ["a", "b", "♥c"])
            #expect(run.info["degraded"] == "out of room")
            run.store.state.withLock { $0.writeError = nil }
            _ = try run.call("items.like", ["key": keys[0]])
            #expect(run.info["degraded"] == nil)
            #expect(run.stored.map(\.file.place.path.text).sorted() == ["a", "c"])
            _ = try run.call("items.like", ["key": keys[0]])
        }
        // Once for each trouble, and once for its end.
        #expect(run.reports.count == 6, "\(run.reports)")
    }

    @Test("A misplaced store refuses, and is recreated with everything a second later")
    func misplaced() throws {
        _ = try run.call("items.like", ["key": keys[2]])
        let subscription = run.bus.subscribe { [told] (event: WireEvent) in
            told.topics.append(event.topic)
        }
        defer { subscription.disconnect() }
        run.store.state.withLock { $0.writeError = StorageError(.misplaced, "was removed") }
        let error = try run.refusal("items.like", ["key": keys[0]])
        #expect(error?.kind == .overloaded && error?.retryAfterMs == 1000)
        #expect(run.info["degraded"] == "was removed" && told.topics == ["daemon.degraded"])
        #expect(run.reports.last?.contains("as soon as that can be done") == true)
        run.store.state.withLock { state in
            state.writeError = nil
            state.marks = [:]
        }
        run.loop.advance(by: .milliseconds(1100))
        #expect(run.loop.run { run.info["degraded"] == nil })
        #expect(run.batches.last?.replacesAll == true)
        #expect(run.stored.map(\.file.place.path.text) == ["c"])
        #expect(told.topics == ["daemon.degraded", "daemon.restored"])
        #expect(run.loop.nextTimer == nil)
    }

    @Test("Invalid requests are refused with what would be valid")
    func refusals() throws {
        for (method, params, kind, place) in [
            ("items.like", ["key": "new"], ProtocolError.Kind.invalidParams, "key"),
            ("items.drop", ["keys": [keys[0], "new"]], .invalidParams, "keys[1]"),
            ("items.like", [:], .invalidParams, "key"),
            ("items.like", ["key": "zzz"], .noSuchItem, nil),
            ("items.drop", ["key": "zzz"], .noSuchItem, nil),
            ("items.restore", ["key": "zzz"], .noSuchItem, nil),
            ("items.like", ["key": keys[0], "liked": 1], .invalidParams, "liked"),
            ("items.like", ["keys": .array(keys)], .invalidParams, "liked"),
            ("items.like", ["keys": [], "liked": true], .invalidParams, "keys"),
            ("items.drop", ["keys": .array(keys), "key": keys[0]], .invalidParams, "keys"),
            ("items.restore", ["all": false], .invalidParams, "all"),
            ("items.restore", ["all": true, "key": keys[0]], .invalidParams, "key"),
            (
                "items.drop",
                ["keys": .array((0...1000).map { JSONValue("k\($0)") })], .invalidParams, "keys"
            ),
        ] as [(String, JSONValue, ProtocolError.Kind, String?)] {
            let error = try run.refusal(method, params)
            #expect(error?.kind == kind && error?.at == place, "\(method) \(params): \(error)")
        }
        #expect(run.batches.isEmpty)
    }

    @Test("The next run has all marks from the first document on; moved files keep theirs")
    func restart() throws {
        _ = try run.call("items.like", ["key": keys[0]])
        _ = try run.call("items.drop", ["key": keys[1]])
        let document = try #require(run.documents[key: keys[0].stringValue ?? ""])
        run.documents.apply(
            removed: [document], inserted: [document.with(root: "/r", path: FileName("a2"))])
        #expect(run.loop.run { run.stored.contains { $0.file.place.path.text == "a2" } })
        #expect(run.batches.last?.isDurable == false)
        run.end()

        let next = try FeedRun(run.store, epoch: "e2")
        var changes = 0
        let connection = next.documents.listed.changes.connect { changes += $0.inserted.count }
        defer { connection.disconnect() }
        next.add("a2", "b", "c")
        #expect(try next.list() == ["♥a2", "c"])
        #expect(changes == 2)
        next.end()
    }

    @Test("The end also stores changes that only track files")
    func end() throws {
        _ = try run.call("items.like", ["key": keys[0]])
        let document = try #require(run.documents[key: keys[0].stringValue ?? ""])
        run.documents.apply(removed: [document])
        run.end()
        #expect(run.stored.map { $0.goneSince != nil } == [true])
    }

    @Test("Without a folder likes last for this run, which is logged once; batches may wait")
    func memoryOnly() throws {
        let run = try FeedRun(stateFolder: nil)
        let key = JSONValue(try #require(run.add("a", "b").first).key)
        #expect(run.session.begin("items.like", ["key": key], isInBatch: true).value != nil)
        #expect(try run.session.call("items.drop", ["key": key]).get() == [:])
        #expect(try run.list() == ["b"])
        #expect(try run.session.call("items.restore", ["all": true]).get() == [:])
        #expect(try run.list() == ["♥a", "b"])
        #expect(run.reports.filter { $0.contains("not kept across restarts") }.count == 1)
        run.end()
    }

    @Test("A store that fails to open at the start is retried and loaded later")
    func late() throws {
        let store = FakeMarkStore()
        store.state.withLock { state in
            state.openError = StorageError(.inUse, "another daemon has it")
            state.marks[4] = StoredMark(
                id: 4, marks: .liked,
                file: MarkedFile(
                    place: DocumentPlace(root: "/r", path: FileName("b")), inode: 0, size: 1,
                    modified: FileTime(seconds: 1)))
        }
        let run = try FeedRun(store)
        let keys = run.add("a", "b").map(\.key)
        #expect(run.reports.count == 1 && run.info["degraded"] == "another daemon has it")
        let error = try run.refusal("items.like", ["key": JSONValue(keys[0])])
        #expect(error?.kind == .overloaded)
        #expect(try run.list() == ["a", "b"])
        store.state.withLock { $0.openError = nil }
        run.loop.advance(by: .seconds(11))
        #expect(run.loop.run { run.info["degraded"] == nil })
        #expect(try run.list() == ["a", "♥b"])
        #expect(try run.call("items.like", ["key": JSONValue(keys[0])]) == ["liked": true])
        #expect(run.stored.map(\.file.place.path.text) == ["b", "a"])
        run.end()
    }

    @Test("Nothing is created before there is something to store")
    func unused() throws {
        let store = FakeMarkStore()
        store.state.withLock {
            $0.isUnused = true
            $0.openError = StorageError(.failed, "must not be opened")
        }
        let run = try FeedRun(store)
        let key = JSONValue(try #require(run.add("a").first).key)
        #expect(run.reports == [])
        store.state.withLock { $0.openError = nil }
        _ = try run.call("items.like", ["key": key])
        #expect(run.stored.count == 1)
        run.end()
    }
}
