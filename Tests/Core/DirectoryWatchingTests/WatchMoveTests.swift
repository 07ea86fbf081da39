// Fewer watches than folders: watches move to where changes happen and lists look.

import EventLoops
import PickerModel
import SystemInterface
import TestSupport
import Testing

@testable import DirectoryWatching

extension WatchFixture {
    /// All folders that are followed.
    fileprivate var folders: [WatchedFolder] {
        var found: [WatchedFolder] = []
        for root in watcher.rootList { root.folder?.forEachFolder { found.append($0) } }
        return found
    }

    fileprivate func folder(_ path: String) -> WatchedFolder? {
        let names = path.split(separator: "/").map { Array($0.utf8) }
        return watcher.rootList.first?.folder?.folder(at: names[...])
    }

    /// The paths of the folders that have a watch, or of those that have none.
    fileprivate func paths(watched: Bool) -> [String] {
        folders.filter { ($0.watch >= 0) == watched }
            .map { String(decoding: $0.relativePath(), as: UTF8.self) }.sorted()
    }

    /// Each folder is watched or polled, never both, and no watch is nobody's.
    fileprivate func expectWatchesRight(sourceLocation: SourceLocation = #_sourceLocation) {
        let folders = folders
        for folder in folders {
            let path = String(decoding: folder.relativePath(), as: UTF8.self)
            let isPolled = watcher.degraded[ObjectIdentifier(folder)] != nil && folder.isPolled
            #expect(
                (folder.watch >= 0) != isPolled, "'\(path)' \(folder.watch) \(folder.condition)",
                sourceLocation: sourceLocation)
        }
        let used = Set(folders.map(\.watch).filter { $0 >= 0 })
        #expect(access.watches == used, sourceLocation: sourceLocation)
        #expect(watcher.tree.watches.count == used.count, sourceLocation: sourceLocation)
        #expect(access.mostWatches <= access.watchLimit ?? .max, sourceLocation: sourceLocation)
        #expect(!watcher.tree.watches.hasRetired, sourceLocation: sourceLocation)
    }

    /// Lets the clock go on for whole seconds, with `body` before each.
    fileprivate func wait(seconds: Int, _ body: (Int) -> Void = { _ in }) {
        for second in 0..<seconds {
            body(second)
            loop.advance(by: .seconds(1))
        }
    }
}

/// Shows some documents.
private final class Viewer: DocumentViewer {
    private let rows: ShownRows

    init(_ paths: [String], of fixture: WatchFixture) {
        let keys = paths.compactMap { fixture.key($0) }
        let items = keys.compactMap { fixture.store.row(key: $0) }.map { PickerItem($0) }
        rows = ShownRows(items, of: fixture.store.table)
    }

    var shownRows: [ShownRow] { rows.rows }
}

@Suite("Moves of watches")
struct WatchMoveTests {
    /// A root with folders a, b, c… of a file each, and watches for the root and some of them.
    private func makeFixture(
        folders: Int, watches: Int, limits: WatchLimits = WatchLimits()
    ) throws -> WatchFixture {
        let fixture = try WatchFixture(limits: limits)
        fixture.access.watchLimit = watches
        for name in names(folders) {
            fixture.root.makeFolder(name)
            fixture.root.write("\(name)/1", "1")
        }
        try fixture.start()
        fixture.expectWatchesRight()
        return fixture
    }

    private func names(_ count: Int) -> [String] {
        (0..<count).map { String(Character(Unicode.Scalar(UInt8(97 + $0)))) }
    }

    @Test("A polled folder in which changes are found gets the watch of a quiet one")
    func moved() throws {
        let fixture = try makeFixture(folders: 4, watches: 4)
        let polled = try #require(fixture.paths(watched: false).first)
        let watched = fixture.paths(watched: true)
        fixture.wait(seconds: 90)
        #expect(fixture.paths(watched: true) == watched, "nothing happens, and nothing moves")
        fixture.forget()
        fixture.root.write("\(polled)/2", "1")
        fixture.wait(seconds: 31)
        let quiet = try #require(fixture.paths(watched: false).first)
        #expect(quiet != polled && watched.contains(quiet))
        #expect(
            fixture.reports == [
                .degraded(path: Array("\(fixture.root.path)/\(quiet)".utf8), reason: .watchLimit),
                .restored(path: Array("\(fixture.root.path)/\(polled)".utf8)),
            ])
        #expect(fixture.status?.degraded.count == 1)
        fixture.expectWatchesRight()
        // Told by an event now.
        fixture.root.write("\(polled)/3", "1")
        fixture.loop.turn()
        #expect(fixture.document("\(polled)/3") != nil)
        // Found by a poll now.
        fixture.root.write("\(quiet)/2", "1")
        fixture.loop.turn()
        #expect(fixture.document("\(quiet)/2") == nil)
        fixture.wait(seconds: 31)
        fixture.expectTruth()
    }

    @Test("A watch that is free again is for a folder that has lost its own")
    func recovery() throws {
        let fixture = try makeFixture(folders: 4, watches: 4)
        let polled = try #require(fixture.paths(watched: false).first)
        fixture.wait(seconds: 90)
        fixture.root.write("\(polled)/2", "1")
        fixture.wait(seconds: 31)
        #expect(fixture.paths(watched: false) != [polled])
        fixture.access.watchLimit = nil
        fixture.wait(seconds: 31)
        #expect(fixture.paths(watched: false) == [] && fixture.status?.state == .watching)
        fixture.expectWatchesRight()
        #expect(fixture.loop.nextTimer == nil)
    }

    @Test("A watch stays where it was not for long, and where something has happened lately")
    func rest() throws {
        let fixture = try makeFixture(folders: 4, watches: 4)
        let polled = try #require(fixture.paths(watched: false).first)
        let watched = fixture.paths(watched: true).filter { !$0.isEmpty }
        let rest = Int(WatchLimits().watchRest.components.seconds)
        fixture.wait(seconds: rest) { fixture.root.write("\(polled)/\($0)") }
        #expect(fixture.paths(watched: false) == [polled], "all watches are new")
        fixture.wait(seconds: 3 * rest) { second in
            fixture.root.write("\(polled)/\(second)", "1")
            if second % (rest - 2) == 0 {
                for name in watched { fixture.root.write("\(name)/1", "\(second)") }
            }
        }
        #expect(fixture.paths(watched: false) == [polled], "all are used once a minute")
        fixture.wait(seconds: rest + 3) { fixture.root.write("\(polled)/\($0)", "2") }
        #expect(fixture.paths(watched: false) != [polled])
        fixture.expectTruth()
    }

    @Test("A folder that has lost its watch does not get another's at once")
    func restAfterLoss() throws {
        let fixture = try makeFixture(folders: 4, watches: 4)
        let rest = Int(WatchLimits().watchRest.components.seconds)
        let polled = try #require(fixture.paths(watched: false).first)
        fixture.wait(seconds: rest + 2)
        fixture.root.write("\(polled)/2", "1")
        fixture.wait(seconds: 31)
        let lost = try #require(fixture.paths(watched: false).first)
        #expect(lost != polled)
        // The others have been quiet for longer.
        fixture.wait(seconds: 20) { fixture.root.write("\(lost)/\($0)", "2") }
        #expect(fixture.paths(watched: false) == [lost])
        fixture.wait(seconds: 60) { fixture.root.write("\(lost)/\($0)", "3") }
        #expect(fixture.paths(watched: false) != [lost])
    }

    @Test("Where changes happen everywhere, no watch moves")
    func noThrashing() throws {
        let fixture = try makeFixture(folders: 20, watches: 9)
        var removals = 0
        fixture.access.onRemoval = { _, isOver in removals += isOver ? 1 : 0 }
        fixture.wait(seconds: 300) { second in
            for name in names(20) { fixture.root.write("\(name)/\(second % 7)", "\(second)") }
        }
        #expect(removals == 0)
        fixture.settle()
        fixture.expectTruth()
        fixture.expectWatchesRight()
    }

    @Test(
        "However changes come and go, each watch moves at most once in a minute, few at a time"
    )
    func rate() throws {
        try withSeed { random in
            var limits = WatchLimits()
            limits.watchesMoved = 2
            let fixture = try makeFixture(folders: 20, watches: 9, limits: limits)
            var times: [Int] = []
            var lost: [ObjectIdentifier: Int] = [:]
            var now = 0
            fixture.access.onRemoval = { watch, isOver in
                guard !isOver, let folder = fixture.watcher.tree.watches.folder(ofEventOn: watch)
                else { return }
                times.append(now)
                let before = lost.updateValue(now, forKey: ObjectIdentifier(folder))
                // It had to be polled for a minute, and to be watched for another.
                #expect(before.map { now - $0 >= 120 } ?? true, "\(before ?? 0) \(now)")
            }
            var used: [String] = []
            fixture.wait(seconds: 900) { second in
                now = second
                // For a while, everything happens in some of them.
                if second % 100 == 0 { used = Array(names(20).shuffled(using: &random).prefix(5)) }
                guard let name = used.randomElement(using: &random) else { return }
                fixture.root.write("\(name)/\(second % 7)", "\(second)")
            }
            #expect(times.count > 8 && times.count <= 8 * (900 / 60 + 1), "\(times.count)")
            for second in Set(times) { #expect(times.count { $0 == second } <= 2) }
            fixture.settle()
            fixture.expectTruth()
            fixture.expectWatchesRight()
        }
    }

    @Test("Watches go where lists look, though nothing happens there, and stay while they do")
    func viewed() throws {
        let fixture = try makeFixture(folders: 4, watches: 4)
        let polled = try #require(fixture.paths(watched: false).first)
        let watched = fixture.paths(watched: true).filter { !$0.isEmpty }
        let viewer = Viewer(["\(polled)/1", "\(watched[0])/1", "\(watched[2])/1"], of: fixture)
        fixture.store.views.add(viewer)
        fixture.wait(seconds: 100)
        #expect(fixture.paths(watched: false) == [watched[1]])
        // Nobody looks at it any more, so others may have its watch.
        fixture.store.views.remove(viewer)
        fixture.root.write("\(watched[1])/2", "1")
        fixture.wait(seconds: 100) { fixture.root.write("\(watched[1])/2", "\($0)") }
        #expect(!fixture.paths(watched: false).contains(watched[1]))
        fixture.expectWatchesRight()
    }

    @Test("What happens in both folders while the watch moves is found at once, by no poll")
    func nothingLost() throws {
        let fixture = try makeFixture(folders: 4, watches: 4)
        let polled = try #require(fixture.paths(watched: false).first)
        fixture.wait(seconds: 90)
        var quiet = ""
        fixture.access.onRemoval = { watch, isOver in
            let folder = fixture.watcher.tree.watches.folder(ofEventOn: watch)
            quiet = folder.map { String(decoding: $0.relativePath(), as: UTF8.self) } ?? ""
            let when = isOver ? "after" : "before"
            fixture.root.write("\(quiet)/\(when)", "1")
            fixture.root.write("\(polled)/\(when)", "1")
            if !isOver { fixture.root.move("\(quiet)/1", "\(quiet)/moved") }
            if isOver { fixture.root.remove("\(polled)/1") }
        }
        let key = fixture.key("\(polled)/1")
        fixture.root.write("\(polled)/2", "1")
        for _ in 0..<40 where quiet.isEmpty { fixture.loop.advance(by: .seconds(1)) }
        #expect(!quiet.isEmpty)
        fixture.loop.turn()
        // Saves wait for a moment.
        fixture.loop.advance(by: .milliseconds(60))
        fixture.expectTruth()
        #expect(key != nil && fixture.document("\(quiet)/moved") != nil)
        fixture.expectWatchesRight()
    }

    @Test(
        "A watch is taken from leaves only, never from a root or a folder around a watched one"
    )
    func ancestors() throws {
        let fixture = try WatchFixture()
        fixture.access.watchLimit = 6
        for path in ["a/b/c", "d/e/f", "g"] {
            fixture.root.makeFolders(path)
            fixture.root.write("\(path)/1", "1")
        }
        try fixture.start()
        var taken = 0
        fixture.access.onRemoval = { watch, isOver in
            guard isOver, let folder = fixture.watcher.tree.watches.folder(ofEventOn: watch) else {
                return
            }
            taken += 1
            #expect(folder.parent != nil)
            #expect(folder.folders.values.allSatisfy { $0.watch < 0 })
        }
        for number in 0..<40 {
            fixture.wait(seconds: 30)
            for path in fixture.paths(watched: false) {
                fixture.root.write("\(path)/\(number)", "1")
            }
        }
        #expect(taken > 10)
        fixture.settle()
        fixture.expectTruth()
        fixture.expectWatchesRight()
    }

    @Test("A watched folder in a polled one is moved with its keys, at once")
    func movedFolder() throws {
        let fixture = try WatchFixture()
        fixture.access.watchLimit = 2
        fixture.root.makeFolders("p/x")
        fixture.root.makeFolder("q")
        fixture.root.write("p/x/1", "1")
        fixture.root.write("q/1", "1")
        try fixture.start()
        // One of p and q, or x, has the only watch beside that of the root; x is to get it.
        fixture.wait(seconds: 130) { fixture.root.write("p/x/1", "\($0)") }
        #expect(fixture.paths(watched: true) == ["", "p/x"])
        let key = fixture.key("p/x/1")
        fixture.root.move("p/x", "p/y")
        fixture.loop.turn()
        #expect(fixture.key("p/y/1") == key && key != nil)
        fixture.expectTruth()
        fixture.root.write("p/y/2", "1")
        fixture.loop.turn()
        #expect(fixture.document("p/y/2") != nil)
        // Between two folders that are polled, or to one that is watched.
        fixture.root.move("p/y", "q/y")
        fixture.settle()
        fixture.expectTruth()
        fixture.root.move("q/y", "y")
        fixture.settle()
        fixture.expectTruth()
        fixture.expectWatchesRight()
    }

    @Test("A watch on which a missing root waits, and one of a link's folder, stay")
    func needed() throws {
        let fixture = try makeFixture(folders: 3, watches: 3)
        let watched = fixture.paths(watched: true).filter { !$0.isEmpty }
        let polled = try #require(fixture.paths(watched: false).first)
        let late = "\(fixture.root.path)/\(watched[0])/late"
        try fixture.watcher.setRoots([fixture.root.path])
        fixture.wait(seconds: 90)
        var steps = 100
        let first = try #require(fixture.folder(watched[0]))
        let second = try #require(fixture.folder(watched[1]))
        #expect(fixture.watcher.mayLoseWatch(first, &steps))
        #expect(fixture.watcher.mayLoseWatch(second, &steps))
        #expect(try !fixture.watcher.mayLoseWatch(#require(fixture.folder("")), &steps))
        let root = WatchedRoot(path: Array(late.utf8))
        fixture.watcher.rootWaiting.wait(root, for: Array("late".utf8), on: first.watch)
        second.target = Array("/elsewhere".utf8)
        #expect(!fixture.watcher.mayLoseWatch(first, &steps))
        #expect(!fixture.watcher.mayLoseWatch(second, &steps))
        second.target = nil
        _ = fixture.watcher.rootWaiting.stop(root)
        #expect(steps > 0 && polled != watched[0])
    }

    @Test("A folder with many others in it takes no more steps than a turn has")
    func wide() throws {
        let fixture = try makeFixture(folders: 2, watches: 10)
        let folder = try #require(fixture.folder("a"))
        for number in 0..<1000 {
            folder.attach(WatchedFolder(name: []), as: Array("\(number)".utf8))
        }
        var steps = 512
        #expect(!fixture.watcher.mayLoseWatch(folder, &steps))
        #expect(steps <= 0)
        steps = 1002
        #expect(fixture.watcher.mayLoseWatch(folder, &steps))
        _ = folder.takeFolders()
    }

    @Test("With tight limits of watches, after each burst of random edits all is as on the disk")
    func randomEdits() throws {
        try withSeed { random in
            for watches in [1, 4, 12] {
                var limits = WatchLimits()
                limits.watchRest = .seconds(Int.random(in: 0...5, using: &random))
                limits.watchesMoved = Int.random(in: 1...8, using: &random)
                limits.watchesPassedAtOnce = Int.random(in: 1...20, using: &random)
                if random.chance(0.5) {
                    limits.entriesInline = 40
                    limits.entriesPerSlice = 15
                    limits.eventsPerTurn = 60
                }
                let fixture = try WatchFixture(limits: limits)
                fixture.access.watchLimit = watches
                var removals = 0
                fixture.access.onRemoval = { watch, isOver in
                    // Others are of folders that have left.
                    let watches = fixture.watcher.tree.watches
                    if isOver, watches.folder(ofEventOn: watch) != nil { removals += 1 }
                }
                var editor = Editor(fixture)
                try fixture.start()
                for _ in 0..<testRounds(30) {
                    for _ in 0..<Int.random(in: 1...40, using: &random) {
                        editor.edit(&random)
                        if random.chance(0.05) { fixture.loop.runOne() }
                        if random.chance(0.05) { fixture.loop.advance(by: .seconds(1)) }
                        if random.chance(0.002) { fixture.access.loseQueue = true }
                    }
                    if random.chance(0.3) { fixture.loop.advance(by: .seconds(10)) }
                    // Nobody has to ask: a poll, and what it has found, are enough.
                    if random.chance(0.3) {
                        fixture.loop.advance(by: .seconds(62))
                        #expect(fixture.watcher.isSettled)
                    } else {
                        fixture.settle()
                    }
                    fixture.expectTruth()
                    fixture.expectWatchesRight()
                }
                #expect(watches == 1 ? removals == 0 : removals > 0)
            }
        }
    }
}
