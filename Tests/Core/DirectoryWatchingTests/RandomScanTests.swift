// Random edits while folders are read elsewhere than on the loop.

import DirectoryWatching
import PickerModel
import SystemInterface
import TestSupport
import Testing

@Suite("Random edits during scans by threads")
struct RandomScanTests {
    private func makeTree(_ root: Disk, _ random: inout SeededRandom) {
        for folder in 0..<12 {
            root.makeFolders(folder % 3 == 0 ? "d\(folder)" : "d\(folder / 3 * 3)/e\(folder)")
            let path = folder % 3 == 0 ? "d\(folder)" : "d\(folder / 3 * 3)/e\(folder)"
            for file in 0..<Int.random(in: 0...25, using: &random) {
                root.write("\(path)/n\(file)", "1")
            }
        }
    }

    @Test("Answers in any order and at any time, between edits: the store equals a walk at the end")
    func scripted() throws {
        try withSeed { random in
            for _ in 0..<12 { try script(&random) }
        }
    }

    private func script(_ random: inout SeededRandom) throws {
        var limits = WatchFixture.smallSlices
        limits.entriesPerSliceElsewhere = Int.random(in: 1...30, using: &random)
        limits.foldersElsewhere = Int.random(in: 1...6, using: &random)
        limits.entriesElsewhere = Int.random(in: 1...60, using: &random)
        limits.namesTouched = random.chance(0.3) ? 2 : 1000
        limits.eventsPerTurn = Int.random(in: 1...40, using: &random)
        limits.changesPerTransaction = Int.random(in: 1...50, using: &random)
        let fixture = try WatchFixture(limits: limits)
        makeTree(fixture.root, &random)
        let size = Int.random(in: 1...12, using: &random)
        let box = fixture.useScript { $0.pieceSize = size }
        try fixture.watcher.setRoots([fixture.root.path])
        var editor = Editor(fixture)
        for step in 0..<400 {
            for _ in 0..<Int.random(in: 0...3, using: &random) { fixture.loop.runOne() }
            for _ in 0..<Int.random(in: 0...3, using: &random) { box.readers?.step(&random) }
            if random.chance(0.4) { editor.edit(&random) }
            if random.chance(0.05) { fixture.loop.advance(by: .milliseconds(3)) }
            if random.chance(0.05) { fixture.watcher.drainNow() }
            if random.chance(0.02) { fixture.access.loseQueue = true }
            if random.chance(0.1) { fixture.store.releaseFreedRows() }
            if step == 200 {
                fixture.finish(box)
                fixture.expectTruth()
                // All is read again.
                fixture.access.loseQueue = true
            }
        }
        fixture.finish(box)
        fixture.expectTruth()
        #expect(box.started > 0)
    }

    @Test("The same with threads")
    func threads() throws {
        try withSeed { random in
            for _ in 0..<4 {
                var limits = WatchFixture.smallSlices
                limits.foldersElsewhere = Int.random(in: 1...32, using: &random)
                let fixture = try WatchFixture(limits: limits)
                makeTree(fixture.root, &random)
                fixture.access.useThreads()
                try fixture.watcher.setRoots([fixture.root.path])
                var editor = Editor(fixture)
                for _ in 0..<200 {
                    for _ in 0..<Int.random(in: 0...3, using: &random) { fixture.loop.runOne() }
                    if random.chance(0.5) { editor.edit(&random) }
                    if random.chance(0.03) { fixture.access.loseQueue = true }
                    if random.chance(0.1) { fixture.loop.advance(by: .milliseconds(3)) }
                }
                #expect(finish(fixture))
                fixture.expectTruth()
            }
        }
    }

    /// Runs until nothing is left to read, also of folders that are polled.
    private func finish(_ fixture: WatchFixture) -> Bool {
        // A settled watcher may not have read the last events yet.
        fixture.watcher.drainNow()
        return fixture.loop.run {
            fixture.loop.spend(.milliseconds(1))
            if !fixture.watcher.isSettled { fixture.watcher.drainNow() }
            return fixture.watcher.isSettled
        }
    }

    @Test("A large folder comes in several parts, and all of a large tree is found")
    func large() throws {
        let fixture = try WatchFixture()
        for number in 0..<5000 { fixture.root.write("a file with a long name, \(number).txt") }
        for folder in 0..<200 {
            fixture.root.makeFolders("d\(folder)/e")
            for file in 0..<5 { fixture.root.write("d\(folder)/e/\(file)") }
        }
        var answers: [Int] = []
        fixture.access.readers = { loop, limit, take in
            LinuxFileAccess().startReaders(on: loop, limit: limit) {
                answers.append($0.part.batch.count)
                take($0)
            }
        }
        try fixture.watcher.setRoots([fixture.root.path])
        #expect(finish(fixture))
        #expect(fixture.store.count == 6000)
        #expect(answers.count { $0 > 400 } >= 4)
        #expect(answers.allSatisfy { $0 < 2000 })
        fixture.expectTruth()
        // Again, with a store that knows it all.
        fixture.forget()
        fixture.root.remove("d7/e/0")
        fixture.access.loseQueue = true
        fixture.loop.turn()
        #expect(finish(fixture))
        #expect(fixture.reports.contains(.rescanned(added: 0, removed: 1, changed: 0)))
        fixture.expectTruth()
    }
}
