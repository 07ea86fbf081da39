// Watches of folders, without a kernel, compared with plain tables.

import TestSupport
import Testing

@testable import DirectoryWatching

@Suite("The table of watches")
struct WatchTableTests {
    @Test("Random watches are found by number and in a row, and events of given up ones by folder")
    func random() {
        withSeed { random in
            let folders = (0..<6).map { WatchedFolder(name: [UInt8($0)]) }
            var table = WatchTable()
            var plain: [Int32: Int] = [:]
            var retired: [Int32: Int?] = [:]
            for _ in 0..<2000 {
                let index = Int.random(in: 0..<folders.count, using: &random)
                let former = plain.first { $0.value == index }?.key
                let watch = Int32.random(in: 1...9, using: &random)
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<5:
                    if let former { plain[former] = nil }
                    plain[watch] = index
                    #expect(
                        table.set(watch, of: folders[index]) == (former == watch ? nil : former))
                case 5:
                    if let former { plain[former] = nil }
                    #expect(table.end(folders[index]) == former)
                case 6..<8:
                    if let former {
                        plain[former] = nil
                        retired[former] = index
                    }
                    #expect(table.retire(folders[index]) == former)
                case 8:
                    #expect(table.endRetired(watch) == (retired.removeValue(forKey: watch) != nil))
                default:
                    if random.chance(0.5) {
                        table.forgetRetired()
                        retired = [:]
                    }
                    table.forget(folders[index])
                    for (watch, former) in retired where former == index {
                        retired.updateValue(nil, forKey: watch)
                    }
                }
                #expect(table.hasRetired == !retired.isEmpty)
                #expect(table.count == plain.count)
                let row = (0..<table.count).map { table.folder(at: $0).watch }
                #expect(row.sorted() == plain.keys.sorted())
                for watch in 1...9 as ClosedRange<Int32> {
                    let owner = plain[watch].map { folders[$0] }
                    #expect(table[watch] === owner && table.isUsed(watch) == (owner != nil))
                    let expected =
                        retired[watch].map { $0.map { folders[$0] } } ?? owner
                    #expect(table.folder(ofEventOn: watch) === expected)
                }
                table.checkInvariants()
            }
        }
    }
}
