// The client library against the real daemon: killed, started again, flooded, edited under.

import Foundation
import Glibc
import JSONText
import Observables
import PickerClient
import SystemInterface
import TestSupport
import Testing
import WireProtocol

extension IntegrationTests {
    @Suite("The client", .timeLimit(.minutes(20)))
    struct ClientTests {
        /// A folder that is served, by one daemon after the other.
        private final class Served {
            let place: TemporaryFolder
            let folder: RealFolder
            private(set) var daemon: DaemonUnderTest

            init() throws {
                place = try TemporaryFolder()
                try place.makeFolder("root")
                folder = RealFolder(place.path("root"))
                daemon = try Self.start(place)
            }

            private static func start(_ place: TemporaryFolder) throws -> DaemonUnderTest {
                try DaemonUnderTest(
                    [place.path("root"), "--state", place.path("state")],
                    socket: place.path("sock"))
            }

            var socket: String { place.path("sock") }

            func kill() {
                daemon.process.kill(SIGKILL)
                _ = daemon.process.waitForExit()
            }

            func startAgain() throws { daemon = try Self.start(place) }
        }

        private static let backoff = ReconnectingSession.Backoff(
            first: .milliseconds(10), longest: .milliseconds(100))

        private func reach(_ loop: PollLoop, _ condition: () throws -> Bool) rethrows -> Bool {
            let deadline = ContinuousClock.now + patience
            while !(try condition()) {
                if ContinuousClock.now > deadline { return false }
                var isTime = false
                let timer = loop.schedule(after: .milliseconds(5)) { isTime = true }
                loop.run { isTime }
                timer.cancel()
            }
            return true
        }

        @Test(
            "Lists and their observers equal items.get, across edits, updates and kills")
        func lists() throws {
            try withSeed { random in
                let served = try Served()
                for number in 0..<30 { served.folder.write("n\(number).md", number) }
                let loop = PollLoop()
                let session = try ReconnectingSession(
                    to: served.socket, on: loop, backoff: Self.backoff)
                let queries = [
                    ListQuery(), ListQuery(sort: ["date"], count: 10),
                    ListQuery(sort: ["-size", "name"], start: 3, count: 7),
                    ListQuery(search: "1"), ListQuery(start: 500, count: 5),
                    ListQuery(
                        sort: ["score"], search: "n1 !9", match: .fuzzy, count: 8,
                        highlights: true),
                    ListQuery(search: "md n", match: .words, highlights: true),
                    ListQuery(sort: ["path"], fields: ["name", "size"]),
                ]
                let lists = queries.map { session.openList($0) }
                var observed = [[ListItem]](repeating: [], count: lists.count)
                let connections = lists.indices.map { index in
                    lists[index].observableItems.connect { $0.apply(on: &observed[index]) }
                }
                for round in 0..<40 {
                    edit(served.folder, Int.random(in: 1...20, using: &random), &random)
                    if random.chance(0.15) {
                        let killed = session.connection
                        served.kill()
                        edit(served.folder, 3, &random)
                        try served.startAgain()
                        #expect(reach(loop) { session.connection !== killed })
                    } else if random.chance(0.2) {
                        session.connection?.close()
                        edit(served.folder, 3, &random)
                    } else if random.chance(0.4) {
                        let index = Int.random(in: 0..<(lists.count - 1), using: &random)
                        var query = lists[index].query
                        query.search = [nil, "1", "n"].randomElement(using: &random) ?? nil
                        if query.match != nil { query.highlights = random.chance(0.7) }
                        query.sort = [["name"], ["-modified"]].randomElement(using: &random) ?? []
                        query.count = [nil, 4, 12].randomElement(using: &random) ?? nil
                        lists[index].update(to: query)
                    }
                    let note = "round \(round), seed \(random.seed)"
                    try #require(reach(loop) { session.connection != nil }, "\(note)")
                    let connection = try #require(session.connection)
                    _ = try connection.send(.sync(timeoutMs: patienceMilliseconds)).wait()
                    for (index, list) in lists.enumerated() {
                        let isEqual = try reach(loop) {
                            let wanted = try connection.send(.items(list.query)).wait()
                            return list.isComplete && list.items == wanted.items
                                && list.total == wanted.total && list.start == wanted.start
                        }
                        try #require(isEqual, "list \(index), \(note)")
                        try #require(observed[index] == list.items, "list \(index), \(note)")
                        #expect(list.reopenCount == 0, "list \(index), \(note)")
                    }
                }
                withExtendedLifetime(connections) {}
            }
        }

        private func edit(
            _ folder: RealFolder, _ count: Int, _ random: inout SeededRandom
        ) {
            for _ in 0..<count {
                let names = folder.walk().files.map(\.path)
                let name = Array("n\(Int.random(in: 0..<60, using: &random)).md".utf8)
                switch Int.random(in: 0..<5, using: &random) {
                case 0, 1: folder.write(name, Int.random(in: 0..<99, using: &random))
                case 2: if let old = names.randomElement(using: &random) { folder.remove(old) }
                case 3:
                    if let old = names.randomElement(using: &random), old != name {
                        folder.move(old, name)
                    }
                default:
                    if let old = names.randomElement(using: &random) { folder.append(old, 3) }
                }
            }
        }

        @Test("A restart changes only the keys for observers, in place")
        func restartInPlace() throws {
            let served = try Served()
            for number in 0..<50 { served.folder.write("n\(number).md", number) }
            let loop = PollLoop()
            let session = try ReconnectingSession(
                to: served.socket, on: loop, backoff: Self.backoff)
            let list = session.openList(ListQuery())
            #expect(reach(loop) { list.isComplete && list.items.count == 51 })
            let before = list.items
            var counts: [Int] = []
            var completes: [Bool] = []
            let connections = [
                list.observableItems.connect { _ in counts.append(list.observableItems.count) },
                list.observableIsComplete.connect { completes.append($0.new) },
            ]
            served.kill()
            #expect(reach(loop) { !list.isComplete })
            #expect(list.items == before)
            try served.startAgain()
            #expect(reach(loop) { list.isComplete && list.items.count == 51 })
            #expect(list.items.map(\.path) == before.map(\.path))
            #expect(completes.first == false && completes.last == true)
            // While the new daemon reads the folder the list may be shorter, but it is never empty twice.
            #expect(counts.count { $0 == 0 } <= 1)
            withExtendedLifetime(connections) {}
        }

        @Test("After only the connection was lost, lists resume")
        func resumes() throws {
            let served = try Served()
            for number in 0..<50 { served.folder.write("n\(number).md", number) }
            let loop = PollLoop()
            let session = try ReconnectingSession(
                to: served.socket, on: loop, backoff: Self.backoff)
            let lists = [
                session.openList(ListQuery(sort: ["name"])),
                session.openList(ListQuery(sort: ["-size"], start: 2, count: 9, fields: ["size"])),
            ]
            var changes: [[ListChange]] = [[], []]
            _ = try session.connection?.send(.sync(timeoutMs: patienceMilliseconds)).wait()
            #expect(reach(loop) { lists.allSatisfy { $0.isComplete && $0.total == 51 } })
            for (index, list) in lists.enumerated() {
                list.onChange = { changes[index].append($0) }
            }
            session.connection?.close()
            served.folder.remove(Array("n7.md".utf8))
            served.folder.append(Array("n49.md".utf8), 100)
            served.folder.write("m.md", 60)
            #expect(reach(loop) { session.connection != nil })
            let connection = try #require(session.connection)
            _ = try connection.send(.sync(timeoutMs: patienceMilliseconds)).wait()
            for (index, list) in lists.enumerated() {
                let isEqual = try reach(loop) {
                    let wanted = try connection.send(.items(list.query)).wait()
                    return list.isComplete && list.items == wanted.items
                        && list.total == wanted.total
                }
                #expect(isEqual)
                #expect(list.reopenCount == 0)
                // Read only now: the loop ran until the list was equal.
                let told = changes[index]
                let isAnew = told.contains { if case .reset = $0 { true } else { false } }
                #expect(!isAnew && !told.isEmpty)
            }
        }

        private struct Count: PickerEvent, Codable, Equatable {
            static let topics = ["app.count"]
            let number: Int
        }

        @Test("Tasks: a killed daemon fails pending requests; lists and events come back")
        func tasks() async throws {
            let served = try Served()
            served.folder.write("a.md", 1)
            let client = try await DaemonClient.connect(
                to: served.socket, options: .init(backoff: Self.backoff, timeout: nil))
            defer { client.close() }
            try await client.send(.sync(timeoutMs: patienceMilliseconds))
            let list = client.list(ListQuery())
            var updates = list.makeAsyncIterator()
            var copy: [ListItem] = []
            func follow(until condition: (ListUpdate) -> Bool) async throws {
                while let update = try await updates.next() {
                    update.change.apply(on: &copy)
                    #expect(copy == update.items)
                    if condition(update) { return }
                }
                Issue.record("the list ended")
            }
            try await follow { $0.isComplete && $0.items.count == 2 }
            var messages = client.events(of: Count.self).makeAsyncIterator()
            _ = try await messages.next()
            try await client.publish(topic: "app.count", Count(number: 1))
            let first = try #require(try await messages.next())
            #expect(first.event == Count(number: 1))

            served.kill()
            served.folder.write("b.md", 2)
            try await follow { !$0.isConnected }
            #expect(copy.count == 2)
            do {
                try await client.send(.ping)
                Issue.record("a killed daemon answered")
            } catch {
                #expect((error as? ClientError)?.code == .disconnected)
            }
            try served.startAgain()
            try await follow { $0.isComplete && $0.items.count == 3 }
            #expect(copy.map(\.name) == [nil, "a.md", "b.md"])
            let number = try await client.publish(topic: "app.count", Count(number: 2))
            while let message = try await messages.next() {
                guard let event = message.event else { continue }
                #expect(event == Count(number: 2))
                #expect(message.received?.seq == number)
                #expect(number > first.received?.seq ?? .max)
                break
            }
        }

        @Test("Tasks: a layout follows its list, over edits and a kill")
        func taskLayout() async throws {
            let served = try Served()
            for number in 0..<5 { served.folder.write("n\(number).md", number) }
            let client = try await DaemonClient.connect(
                to: served.socket, options: .init(backoff: Self.backoff))
            defer { client.close() }
            try await client.send(.sync(timeoutMs: patienceMilliseconds))
            struct Shown: Sendable {
                var names: [String?]
                var tops: [Double?]
                var isSettled: Bool
            }
            let shown = client.follow { session, yield in
                let list = session.openList(ListQuery(sort: ["name"]))
                let layout = LiveLayout(
                    of: list, LayoutQuery(.list, width: 300, height: 200))
                layout.onChange = { [unowned list, unowned layout] in
                    yield(
                        Shown(
                            names: list.items.map(\.name),
                            tops: list.items.map { layout.frames[$0.key]?.y },
                            isSettled: list.isComplete && layout.rev == list.rev
                                && layout.frames.count == list.items.count))
                }
                return layout
            }
            var states = shown.makeAsyncIterator()
            /// The rows of a list lie 44 px apart, in order.
            func follow(until names: [String?]) async {
                while let state = await states.next() {
                    guard state.isSettled, state.names == names else { continue }
                    #expect(state.tops == names.indices.map { Double($0) * 44 })
                    return
                }
                Issue.record("the layout ended")
            }
            await follow(until: [nil, "n0.md", "n1.md", "n2.md", "n3.md", "n4.md"])
            served.folder.remove(Array("n1.md".utf8))
            await follow(until: [nil, "n0.md", "n2.md", "n3.md", "n4.md"])
            served.kill()
            served.folder.write("a.md", 1)
            try served.startAgain()
            await follow(until: [nil, "a.md", "n0.md", "n2.md", "n3.md", "n4.md"])
        }

        @Test("A slowly read flood of events blocks no request, and losses are reported")
        func flood() async throws {
            let served = try Served()
            let client = try await DaemonClient.connect(
                to: served.socket, options: .init(timeout: nil))
            defer { client.close() }
            var messages = client.events(of: Count.self).makeAsyncIterator()
            _ = try await messages.next()
            let padding = String(repeating: "x", count: 9_000)
            var last = 0
            for number in 1...3000 {
                let data = try RawJSON("{\"number\":\(number),\"padding\":\"\(padding)\"}")
                last = try await client.send(.publish(topic: "app.count", data: data))
            }
            try await client.send(.ping)
            var next = last - 2999
            while next <= last {
                let message = try #require(try await messages.next())
                switch message.content {
                case .event:
                    #expect(message.received?.seq == next)
                    next += 1
                case .lost(let loss):
                    #expect(loss.numbers?.lowerBound == next)
                    next += loss.count
                default: Issue.record("\(message)")
                }
            }
        }

        @Test(
            "A batch is of one revision, and the daemon's errors have kinds")
        func requests() async throws {
            let served = try Served()
            let client = try await DaemonClient.connect(
                to: served.socket, options: .init(timeout: nil))
            defer { client.close() }
            // What the first scan finds makes no events.
            try await client.send(.sync(timeoutMs: patienceMilliseconds))
            let made = try await client.create(name: "made.md", content: "text")
            #expect(made.path == "made.md" && made.size == 4)
            let answer = try await client.batch(
                .document(key: made.key), .document(key: "none"),
                .items(ListQuery(count: 5)), .raw("daemon.ping"))
            let (document, none, items, _) = answer.results
            let found = try document.get()
            #expect(found.key == made.key && found.path == made.path && found.size == made.size)
            #expect(found.uri?.hasSuffix("/made.md") == true && made.uri == found.uri)
            #expect(try items.get().rev == answer.rev)
            let missing = try #require(throws: ClientError.self) { try none.get() }
            #expect(missing.isRefusal(.noSuchItem))
            for (request, kind) in [
                (DaemonRequest.create(name: "made.md"), RefusalKind.conflict),
                (.create(name: "a/b"), .invalidParams), (.document(key: "none"), .noSuchItem),
            ] {
                let error = try await #require(throws: ClientError.self) {
                    _ = try await client.send(request)
                }
                #expect(error.isRefusal(kind), "\(error)")
            }
            let error = try await #require(throws: ClientError.self) {
                try await client.send(.publish(topic: "daemon.ready"))
            }
            #expect(error.isRefusal(.permissionDenied))
            let hello = try await client.send(.hello())
            #expect(hello.capabilities.contains("items.open"))
            let events = try await client.send(.replay(topics: ["documents.*"]))
            let added = try DocumentEvent(#require(events.last))
            #expect(added.document.key == made.key)
        }
    }
}
