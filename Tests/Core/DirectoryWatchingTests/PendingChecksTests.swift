// Names to check, without a watcher, compared with plain sets.

import SystemdEventLoop
import TestSupport
import Testing

@testable import DirectoryWatching

@Suite("Pending checks")
struct PendingChecksTests {
    /// The expected state of a folder.
    private struct Plain {
        var names: Set<[UInt8]> = []
        var hints: Set<[UInt8]> = []
        var isForgotten = false
        var isDetached = false
    }

    @Test("Random names are counted, kept and returned like plain sets of names")
    func random() {
        withSeed { random in
            let folders = (0..<5).map { WatchedFolder(name: [UInt8($0)]) }
            var plain = [Plain](repeating: Plain(), count: folders.count)
            var checks = PendingChecks()
            for step in 0..<2000 {
                let index = Int.random(in: 0..<folders.count, using: &random)
                let folder = folders[index]
                switch Int.random(in: 0..<10, using: &random) {
                case 0...4:
                    let name = [UInt8.random(in: 0..<6, using: &random)]
                    let isHint = random.chance(0.5)
                    checks.add(name, in: folder, isHint: isHint)
                    if plain[index].isForgotten { break }
                    if plain[index].names.insert(name).inserted {
                        if isHint { plain[index].hints.insert(name) }
                    } else if !isHint {
                        plain[index].hints.remove(name)
                    }
                case 5:
                    plain[index].isDetached.toggle()
                    if !plain[index].isDetached { checks.resume(folder) }
                case 6:
                    if plain[index].isForgotten {
                        checks.follow(folder)
                        plain[index].isForgotten = false
                    } else if random.chance(0.3) {
                        checks.forget(folder)
                        plain[index] = Plain(
                            isForgotten: true, isDetached: plain[index].isDetached)
                    }
                default:
                    look(&checks, folders, &plain, &random)
                }
                #expect(checks.count == plain.reduce(0) { $0 + $1.names.count }, "step \(step)")
                for (folder, plain) in zip(folders, plain) {
                    #expect(folder.checks.names == plain.names, "step \(step)")
                    #expect(folder.checks.hints == plain.hints, "step \(step)")
                }
                checks.checkInvariants()
            }
            // In the end all names that are not detached are reached, even after cuts and misplacements.
            for (folder, plain) in zip(folders, plain) where plain.isDetached {
                checks.resume(folder)
            }
            if checks.isCut { checks.beginRound() }
            checks.beginRound()
            for folder in checks.takeQueue() { _ = checks.takeNames(of: folder, atMost: .max) }
            checks.checkInvariants()
            #expect(checks.count == 0 && checks.misplacedFolders.isEmpty)
        }
    }

    /// A round of checks that ends at any point.
    private func look(
        _ checks: inout PendingChecks, _ folders: [WatchedFolder], _ plain: inout [Plain],
        _ random: inout SeededRandom
    ) {
        checks.beginRound()
        #expect(!checks.isCut)
        let line = checks.takeQueue()
        for (position, folder) in line.enumerated() {
            guard let index = folders.firstIndex(where: { $0 === folder }) else { continue }
            if plain[index].isDetached {
                checks.setAside(folder, isDetached: true)
            } else if random.chance(0.2) {
                checks.setAside(folder, isDetached: false)
            } else {
                let limit = Int.random(in: 1...4, using: &random)
                var count: Int
                repeat {
                    let taken = checks.takeNames(of: folder, atMost: limit)
                    count = taken.names.count
                    #expect(count == min(limit, plain[index].names.count))
                    #expect(taken.names.isSubset(of: plain[index].names))
                    #expect(taken.hints == plain[index].hints.intersection(taken.names))
                    plain[index].names.subtract(taken.names)
                    plain[index].hints.subtract(taken.names)
                    if random.chance(0.2) {
                        let rest = taken.names.sorted { $0.lexicographicallyPrecedes($1) }
                            .dropFirst()
                        checks.cut(rest, taken.hints, in: folder)
                        plain[index].names.formUnion(rest)
                        plain[index].hints.formUnion(taken.hints.intersection(rest))
                    }
                } while count == limit && !checks.isCut
            }
            if checks.isCut || random.chance(0.1) { return checks.cut(line[(position + 1)...]) }
        }
    }

    @Test("An interrupted round continues before misplaced folders have their turn again")
    func cut() {
        var checks = PendingChecks()
        let folders = (0..<3).map { WatchedFolder(name: [UInt8($0)]) }
        for folder in folders { checks.add([1], in: folder, isHint: true) }
        checks.beginRound()
        let line = checks.takeQueue()
        #expect(line.map(\.name) == [[0], [1], [2]])
        checks.setAside(folders[0], isDetached: false)
        checks.cut(line[1...])
        #expect(checks.isCut)
        checks.beginRound()
        let rest = checks.takeQueue()
        #expect(rest.map(\.name) == [[1], [2]])
        for folder in rest { _ = checks.takeNames(of: folder, atMost: 1) }
        checks.beginRound()
        let last = checks.takeQueue()
        #expect(last.map(\.name) == [[0]] && checks.count == 1)
    }

    @Test("A file that is written repeatedly is checked once per interval")
    func writes() {
        var checks = PendingChecks()
        var writes = LateWrites(interval: .milliseconds(20))
        let folder = WatchedFolder(name: [])
        let now = MonotonicInstant(nanoseconds: 0)
        let soon = now.advanced(by: .milliseconds(19))
        let later = now.advanced(by: .milliseconds(20))
        let atOnce = writes.add([1], in: folder, now: now)
        let mustWait = writes.endTurn(now: now)
        #expect(atOnce && !mustWait)
        let again = [[1], [2], [1]].map { writes.add($0, in: folder, now: soon) }
        let waits = writes.endTurn(now: soon)
        #expect(again == [false, false, false] && waits && !writes.isEmpty)
        // A name checked for another reason stops waiting.
        checks.add([2], in: folder, isHint: false)
        let taken = writes.takeAll(isTimeUp: true)
        #expect(taken.map(\.names) == [[[1]]] && writes.isEmpty)
        // A name that was just checked is quiet for another interval.
        _ = writes.endTurn(now: later)
        let quiet = writes.add([3], in: folder, now: later)
        #expect(!quiet)
        checks.add([3], in: folder, isHint: true)
        let restless = writes.endTurn(now: later)
        #expect(!restless && writes.isEmpty)
    }
}
