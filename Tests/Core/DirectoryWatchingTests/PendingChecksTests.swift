// Names to check, without a watcher, compared with plain sets.

import EventLoops
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
            checks.retryMisplaced()
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
        if random.chance(0.5) { checks.retryMisplaced() }
        if let folder = folders.randomElement(using: &random) { checks.resumeMisplaced(folder) }
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

    @Test("Misplaced folders have a turn again after an interrupted round, if there is news")
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
        #expect(checks.isQueueEmpty)
        checks.retryMisplaced()
        checks.beginRound()
        let last = checks.takeQueue()
        #expect(last.map(\.name) == [[0]] && checks.count == 1)
    }

    @Test("A name waits for its time, for a check, or with others of its folder")
    func held() {
        var checks = PendingChecks()
        var held = HeldNames(for: .milliseconds(50), limit: 3)
        let folder = WatchedFolder(name: [])
        let other = WatchedFolder(name: [])
        let now = MonotonicInstant(nanoseconds: 0)
        func at(_ milliseconds: Int) -> MonotonicInstant {
            now.advanced(by: .milliseconds(milliseconds))
        }
        func hold(
            _ name: UInt8, _ folder: WatchedFolder, _ time: Int, isHint: Bool = true,
            again: Bool = false
        ) -> Bool {
            held.hold([name], in: folder, now: at(time), isHint: isHint, again: again)
        }
        #expect(held.nextDue() == nil)
        #expect(hold(1, folder, 0) && hold(2, folder, 10) && hold(3, other, 20))
        #expect(!held.isEmpty && held.count == 3)
        // There is no room for more, but those that wait may begin anew, or not.
        #expect(!hold(4, folder, 20) && hold(1, folder, 30) && hold(2, folder, 30, again: true))
        held.checkInvariants()
        #expect(held.nextDue() == at(50))
        #expect(held.take(until: at(49)).isEmpty)
        let first = held.take(until: at(50))
        #expect(first.map(\.name) == [[1]] && first.first?.folder === folder)
        #expect(held.nextDue() == at(70))
        // A name that is checked for another reason waits no more, and what was known of it stays known.
        #expect(hold(5, folder, 50, isHint: false))
        checks.add([5], in: folder, isHint: true)
        #expect(checks.takeNames(of: folder, atMost: 9).hints.isEmpty)
        #expect(held.count == 2)
        checks.add([6], in: folder, isHint: true)
        #expect(hold(6, folder, 50) && held.count == 2)
        checks.withdraw([6], in: folder)
        #expect(checks.count == 0 && hold(6, folder, 50) && held.count == 3)
        #expect(Set(held.take(in: folder).map(\.name)) == [[2], [6]])
        #expect(held.take().map(\.name) == [[3]] && held.isEmpty && held.nextDue() == nil)
        checks.forget(folder)
        #expect(hold(1, folder, 0) && held.isEmpty)
    }

    @Test("Backups and drafts are known by their names")
    func names() {
        for (name, isBackup) in [
            ("a.md~", true), ("a.md.bak", true), (".a.md.old", true), ("#a.md#", true),
            ("a.md.~12~", true), ("a.md.osl-tmp", true), (",a.md", true), ("a.md", false),
            ("b.md~", false), ("a.mdx", false), ("a.md.2", false), ("a.md.~~", false),
            ("a.md.~x~", false), ("Copy of a.md", false), ("aa.md~", false), ("", false),
        ] {
            #expect(
                SavingNames.isBackup(Array(name.utf8), of: Array("a.md".utf8)) == isBackup,
                "\(name)")
        }
        for (name, isDraft) in [
            ("a.md.Xy12ab", true), ("sedXy12ab", true), ("tmpaB3456", true), (".Xy12ab", false),
            ("a.backup", false), ("sedabcdef", true), ("a.md.abcdef", true), ("b.md.abcdef", false),
            ("seductively", false), ("a.md.Xy-2ab", false), ("aXy12ab", false),
            ("Xy12ab", false), ("a.Xy12abc", false),
        ] {
            let found = SavingNames.isDraft(Array(name.utf8)) { $0 == Array("a.md".utf8) }
            #expect(found == isDraft, "\(name)")
        }
    }
}
