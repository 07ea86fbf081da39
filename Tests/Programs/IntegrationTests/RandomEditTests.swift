// The main promise: whatever happens to the folder, every client's window is right.

import Foundation
import JSONText
import PickerModel
import TestSupport
import Testing
import WireProtocol

extension IntegrationTests {
    @Suite("Random edits")
    struct RandomEditTests {
        @Test("Six windows, kept by deltas alone, equal what is on disk after each round of edits")
        func windows() throws {
            try withSeed { random in
                let session = try EditSession(&random)
                let rounds = testRounds(30)
                for round in 0..<rounds {
                    try session.run(round, isLast: round == rounds - 1, &random)
                    if session.hasFailed {
                        // Printed, since the testing library leaves out an issue of such length.
                        print("its edits:", session.edits.joined(separator: "\n"))
                        Issue.record("round \(round) of PICKERD_TEST_SEED=\(random.seed)")
                        return
                    }
                }
                print(session.summary)
            }
        }
    }
}

/// A daemon, a folder that is edited, and six windows over four connections.
private final class EditSession {
    /// An open list of a client, and what it should show.
    private struct Window {
        let client: Int
        let id: RequestID
        var wanted: WantedList
        var mirror = WindowMirror()
    }

    /// This client reads once in a while only.
    private static let lazyClient = 2
    /// The list of this client is changed by `items.update`.
    private static let changingClient = 3

    private let served: ServedFolder
    private let clients: [TestConnection]
    private var windows: [Window]
    private var editor: RandomEditor
    private var keys: [Path: String] = [:]
    private(set) var hasFailed = false
    private var editCount = 0
    private var residentAtStart = 0

    init(_ random: inout SeededRandom) throws {
        // Names of all kinds are documents here.
        served = try ServedFolder(settings: "ignore = [\"!*\"]\n") { folder, place in
            try place.makeFolder("outside")
            for number in 0..<40 { folder.write("first\(number).md", number) }
            for name in ["one", "two", "two/three"] { folder.makeFolder(Array(name.utf8)) }
            for number in 0..<20 { folder.write("two/three/deep \(number).txt", number) }
        }
        editor = RandomEditor(folder: served.folder, outside: served.place.path("outside"))
        var clients: [TestConnection] = []
        for _ in 0..<4 { clients.append(try served.daemon.connect()) }
        self.clients = clients
        clients[Self.lazyClient].shrinkReceiveBuffer()
        windows = [
            Window(client: 0, id: 1, wanted: WantedList()),
            Window(client: 0, id: "newest", wanted: WantedList(sort: .date, count: 50)),
            Window(
                client: 1, id: 1,
                wanted: WantedList(
                    sort: try SortOrder(keys: ["-size", "path"]), start: 5, count: 20,
                    fields: ["name", "size"])),
            Window(client: 1, id: 2, wanted: WantedList(search: "a", start: 3)),
            Window(
                client: Self.lazyClient, id: 5,
                wanted: WantedList(sort: try SortOrder(keys: ["type", "-modified"]))),
            Window(client: Self.changingClient, id: 9, wanted: WantedList(count: 10)),
        ]
        for window in windows {
            try clients[window.client].call("items.open", window.wanted.params, id: window.id)
        }
        residentAtStart = served.daemon.residentKilobytes
        _ = try clients[0].sync()
        keys = try keysOnDisk(served.folder.walk())
    }

    /// Edits, waits for the daemon to have seen it, and compares everything.
    func run(_ round: Int, isLast: Bool, _ random: inout SeededRandom) throws {
        editor.begin(served.folder.walk(), keys: keys)
        let count = random.chance(0.1) ? 1 : Int.random(in: 1...100, using: &random)
        let isPure = random.chance(0.15)
        let updateAt = random.chance(0.6) ? Int.random(in: 0...count, using: &random) : -1
        for number in 0..<count {
            if isPure {
                editor.onlyRenameAndSave(1, &random)
            } else {
                editor.edit(&random)
            }
            if number == updateAt { try changeWindow(&random) }
            if random.chance(0.02) {
                editor.noteSync(try clients[0].sync())
                check(try keysOnDisk(served.folder.walk()), round)
                if hasFailed { return }
            }
        }
        editCount += count
        let rev = try clients[0].sync()
        let contents = served.folder.walk()
        let known = try keysOnDisk(contents)
        check(known, round)
        keys = known
        let documents = contents.files.map { file in
            Document(
                key: known[file.path] ?? "?", root: served.folder.text,
                path: FileName(bytes: file.path), size: file.size, modified: file.modified)
        }
        for client in clients.indices
        where client != Self.lazyClient || round % 7 == 6 || isLast {
            try compare(client, with: documents, rev, round)
        }
    }

    /// Files that were only renamed, moved or saved atomically have the keys that they had.
    private func check(_ known: [Path: String], _ round: Int) {
        for (path, key) in editor.keys where known[path] != key {
            fail(
                round,
                "'\(String(decoding: path, as: UTF8.self))' had the key \(key), now "
                    + (known[path] ?? "none"))
        }
    }

    private func fail(_ round: Int, _ what: String) {
        hasFailed = true
        Issue.record("round \(round): \(what)")
    }

    /// The key of each file; the daemon must know just the files that are on disk.
    private func keysOnDisk(_ contents: RealFolder.Contents) throws -> [Path: String] {
        var keys: [Path: String] = [:]
        for document in try clients[0].allDocuments() {
            keys[document.path.trueBytes] = document.key
        }
        let known = Set(keys.keys)
        let real = Set(contents.files.map(\.path))
        if known != real {
            hasFailed = true
            func shown(_ paths: Set<Path>) -> String {
                paths.map { String(decoding: $0, as: UTF8.self) }.sorted().joined(separator: ", ")
            }
            Issue.record(
                """
                missing: \(shown(real.subtracting(known))); \
                not on disk: \(shown(known.subtracting(real)))
                """)
        }
        if Set(keys.values).count != keys.count {
            hasFailed = true
            Issue.record("two documents have one key")
        }
        return keys
    }

    private func changeWindow(_ random: inout SeededRandom) throws {
        guard let index = windows.firstIndex(where: { $0.client == Self.changingClient }) else {
            return
        }
        var wanted = windows[index].wanted
        wanted.gen += 1
        if random.chance(0.5) {
            let fields = SortOrder.Field.known.shuffled(using: &random).prefix(2)
            wanted.sort = try SortOrder(
                keys: fields.map { (random.chance(0.5) ? "-" : "") + $0.key })
        }
        if random.chance(0.5) {
            wanted.search =
                [nil, "a", "e", "1", "not", "ß", "\u{301}"].randomElement(
                    using: &random) ?? nil
        }
        if random.chance(0.5) {
            wanted.start = [0, 0, 1, 7, 40, 1000].randomElement(using: &random) ?? 0
            wanted.count = [nil, 0, 1, 25, 100].randomElement(using: &random) ?? nil
        }
        windows[index].wanted = wanted
        let client = clients[Self.changingClient]
        var params = wanted.params
        params["sub"] = windows[index].id.value
        try client.call("items.update", params)
        try take(Self.changingClient)
        windows[index].mirror.oldestGen = wanted.gen
    }

    /// Has the mirrors take what has come.
    private func take(_ client: Int) throws {
        for notification in clients[client].takeNotifications() {
            let id = try notification.params.object()["sub"].flatMap { RequestID($0) }
            guard let index = windows.firstIndex(where: { $0.client == client && $0.id == id })
            else {
                Issue.record("client \(client) was sent a '\(notification.method)'")
                continue
            }
            try windows[index].mirror.take(notification)
        }
    }

    private func differences(_ client: Int, _ documents: [Document]) throws -> [String] {
        try windows.filter { $0.client == client }.compactMap { window in
            let wanted = try window.wanted.rows(of: documents)
            let difference =
                window.mirror.gen == window.wanted.gen
                ? window.mirror.difference(
                    from: wanted.rows, total: wanted.total, start: window.wanted.start)
                : "gen \(window.mirror.gen), not \(window.wanted.gen)"
            return difference.map { "list \(window.id) of client \(client): \($0)" }
        }
    }

    private func compare(
        _ client: Int, with documents: [Document], _ rev: Int, _ round: Int
    ) throws {
        // A reply comes behind what was due before it, unless the client has fallen behind.
        try clients[client].call("daemon.ping")
        try take(client)
        var wrong = try differences(client, documents)
        if client == Self.lazyClient {
            let deadline = ContinuousClock.now + patience
            while !wrong.isEmpty, ContinuousClock.now < deadline {
                try clients[client].call("daemon.ping")
                try take(client)
                wrong = try differences(client, documents)
            }
        }
        for what in wrong { fail(round, what) }
        for window in windows where window.client == client && window.mirror.rev > rev {
            fail(round, "revision \(window.mirror.rev) when \(rev) is the last")
        }
    }

    /// The edits of the last round.
    var edits: [String] { editor.log }

    var summary: String {
        let deltas = windows.map { "\($0.mirror.deltas)+\($0.mirror.resets)" }
        return """
            \(editCount) edits, \(keys.count) documents at the end; deltas+resets by window: \
            \(deltas.joined(separator: " ")); resident \(residentAtStart) KiB at the start, \
            \(served.daemon.residentKilobytes) at the end
            """
    }
}
