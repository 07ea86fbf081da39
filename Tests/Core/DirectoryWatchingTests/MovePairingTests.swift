// Pending renames and departed folders without a watcher, compared with a plain list.

import PickerModel
import TestSupport
import Testing

@testable import DirectoryWatching

@Suite("Move pairing")
struct MovePairingTests {
    private func folder(_ identity: UInt64) -> WatchedFolder {
        let folder = WatchedFolder(name: [])
        folder.identity = identity
        return folder
    }

    private func file(_ number: UInt64) -> MovedEntry {
        .file(FileEntry(key: DocumentKey(minted: number), identity: number), isUnsure: false)
    }

    /// The identity of the entries in these tests.
    private func number(_ moved: MovedEntry?) -> UInt64? {
        switch moved {
        case .file(let entry, _, _): entry.identity
        case .folder(let folder): folder.identity
        case nil: nil
        }
    }

    @Test("Random halves of renames are paired, found and given up as in a plain list")
    func random() {
        withSeed { random in
            for limit in [1, 3, 10] {
                var pairing = MovePairing(limit: limit)
                var plain: [(cookie: UInt32, moved: UInt64, isFolder: Bool, number: UInt64)] = []
                var departed: [UInt64] = []
                var next: UInt64 = 0
                for step in 0..<600 {
                    let cookie = UInt32.random(in: 0..<20, using: &random)
                    switch Int.random(in: 0..<8, using: &random) {
                    case 0...2:
                        next += 1
                        let isFolder = random.chance(0.5)
                        var expected: UInt64?
                        if let double = plain.firstIndex(where: { $0.cookie == cookie }) {
                            expected = plain.remove(at: double).moved
                        } else if plain.count == limit {
                            expected = plain.removeFirst().moved
                        }
                        plain.append((cookie, next, isFolder, pairing.nextNumber))
                        let moved = isFolder ? MovedEntry.folder(folder(next)) : file(next)
                        let givenUp = pairing.add(moved, cookie: cookie)
                        #expect(number(givenUp) == expected, "step \(step)")
                    case 3:
                        let index = plain.firstIndex { $0.cookie == cookie }
                        let expected = index.map { plain.remove(at: $0).moved }
                        let found = pairing.takeRename(of: cookie)
                        #expect(number(found) == expected, "step \(step)")
                    case 4:
                        let end = pairing.nextNumber - min(pairing.nextNumber, UInt64(cookie % 4))
                        let index = plain.firstIndex { $0.number < end }
                        let expected = index.map { plain.remove(at: $0).moved }
                        let givenUp = pairing.takeOldest(below: end)
                        #expect(number(givenUp) == expected, "step \(step)")
                    case 5:
                        next += 1
                        departed.append(next)
                        pairing.depart(folder(next))
                    case 6:
                        let wanted = next - min(next, UInt64(cookie % 6))
                        var expected: UInt64?
                        if let index = departed.firstIndex(of: wanted) {
                            expected = departed.remove(at: index)
                        } else if let index = plain.firstIndex(where: {
                            $0.isFolder && $0.moved == wanted
                        }) {
                            expected = plain.remove(at: index).moved
                        }
                        let found = pairing.takeFolder(wanted)
                        #expect(found?.identity == expected, "step \(step)")
                    default:
                        if !random.chance(0.2) { break }
                        let gone = pairing.takeDeparted().map(\.identity)
                        #expect(gone.sorted() == departed, "step \(step)")
                        departed = []
                    }
                    let pending = pairing.pendingEntries.map { number($0.moved) ?? 0 }
                    #expect(pending.sorted() == plain.map(\.moved).sorted(), "step \(step)")
                    #expect(pairing.hasPending == !plain.isEmpty)
                    #expect(pairing.hasDeparted == !departed.isEmpty)
                    pairing.checkInvariants()
                }
            }
        }
    }

    @Test("A departed folder is found at the same cost among many as among few")
    func cost() {
        func cost(_ count: Int, isDeparted: Bool) -> Cost {
            var pairing = MovePairing(limit: count)
            for identity in 1...count {
                let folder = folder(UInt64(identity))
                if isDeparted {
                    pairing.depart(folder)
                } else {
                    _ = pairing.add(.folder(folder), cookie: UInt32(identity))
                }
            }
            let last = UInt64(count)
            var found: WatchedFolder?
            let cost = Cost.of { found = pairing.takeFolder(last) }
            #expect(found?.identity == last)
            let again = pairing.takeFolder(last)
            #expect(again == nil)
            return cost
        }
        for isDeparted in [true, false] {
            // Both are too many for the checks of debug builds.
            _ = cost(100, isDeparted: isDeparted)
            let few = cost(100, isDeparted: isDeparted)
            let many = cost(10_000, isDeparted: isDeparted)
            #expect(
                many.retains <= few.retains + 2 && many.moved <= few.moved + 64,
                "\(many), not \(few)")
        }
    }

    @Test("Departed folders that were never opened, and duplicates, are released too")
    func doubles() {
        var pairing = MovePairing(limit: 1)
        for identity in [0, 7, 7, 0] as [UInt64] { pairing.depart(folder(identity)) }
        let found = [0, 7, 7].map { pairing.takeFolder($0) }
        #expect(found.map { $0 != nil } == [false, true, false] && pairing.hasDeparted)
        let rest = pairing.takeDeparted()
        #expect(rest.count == 3 && !pairing.hasDeparted)
    }

    @Test("Of two pending folders with one identity the later is found, and neither is lost")
    func pendingDoubles() {
        var pairing = MovePairing(limit: 4)
        let first = folder(7)
        let second = folder(7)
        _ = pairing.add(.folder(first), cookie: 1)
        _ = pairing.add(.folder(second), cookie: 2)
        let found = pairing.takeFolder(7)
        #expect(found === second)
        let rest = pairing.takeOldest(below: pairing.nextNumber)
        guard case .folder(let other) = rest else {
            Issue.record("the first is lost")
            return
        }
        #expect(other === first && !pairing.hasPending)
    }
}
