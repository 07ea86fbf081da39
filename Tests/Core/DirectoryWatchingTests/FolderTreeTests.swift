// Watches and files with several names, without a kernel, compared with plain tables.

import PickerModel
import TestSupport
import Testing

@testable import DirectoryWatching

@Suite("Folder tree")
struct FolderTreeTests {
    @Test("Random watches: a folder and its watch lead to each other only")
    func watches() {
        withSeed { random in
            let folders = (0..<5).map { WatchedFolder(name: [UInt8($0)]) }
            var plain: [Int32: Int] = [:]
            var tree = FolderTree()
            for step in 0..<1000 {
                let index = Int.random(in: 0..<folders.count, using: &random)
                let former = plain.first { $0.value == index }?.key
                if random.chance(0.6) {
                    let watch = Int32.random(in: 1...7, using: &random)
                    if let former { plain[former] = nil }
                    plain[watch] = index
                    let unused = tree.setWatch(watch, of: folders[index])
                    #expect(unused == (former == watch ? nil : former), "step \(step)")
                } else {
                    if let former { plain[former] = nil }
                    #expect(tree.endWatch(of: folders[index]) == former, "step \(step)")
                }
                for watch in 1...7 as ClosedRange<Int32> {
                    #expect(tree[watch] === plain[watch].map { folders[$0] }, "step \(step)")
                    #expect(tree.isUsed(watch) == (plain[watch] != nil))
                }
                for (index, folder) in folders.enumerated() {
                    let watch = plain.first { $0.value == index }?.key
                    #expect(folder.watch == watch ?? -1, "step \(step)")
                }
                tree.checkInvariants(below: folders)
            }
        }
    }

    /// Where a file is.
    private struct Place: Hashable {
        let folder: Int
        let name: [UInt8]
    }

    @Test("Random files with several names: those seen, moved and searched for are all known")
    func names() {
        withSeed { random in
            let root = WatchedFolder(name: [])
            let folders = [root] + (0..<2).map { _ in WatchedFolder(name: []) }
            for (number, folder) in folders.dropFirst().enumerated() {
                root.attach(folder, as: [UInt8(100 + number)])
            }
            var tree = FolderTree()
            var plain: [Place: FileEntry] = [:]
            var noted: Set<DocumentKey> = []
            var nextKey = 0

            func count(_ identity: UInt64) -> Int { plain.values.count { $0.identity == identity } }
            func look(_ place: Place) {
                guard let entry = plain[place], count(entry.identity) > 1 else { return }
                let linked = LinkedName(folder: folders[place.folder], name: place.name)
                let isNew = tree.addName(entry, at: linked, of: UInt32(count(entry.identity)))
                #expect(isNew == noted.insert(entry.key).inserted)
            }
            func remove(_ place: Place) {
                guard let entry = plain.removeValue(forKey: place) else { return }
                folders[place.folder].files[place.name] = nil
                // Those at other names are to be told, whether this one is known or not.
                let isOther = plain.values.contains {
                    $0.identity == entry.identity && noted.contains($0.key)
                }
                let isNoted = noted.remove(entry.key) != nil
                #expect(tree.removeName(entry) == (isNoted || isOther))
            }

            for step in 0..<2000 {
                let place = Place(
                    folder: Int.random(in: 0..<folders.count, using: &random),
                    name: [UInt8.random(in: 0..<4, using: &random)])
                switch Int.random(in: 0..<5, using: &random) {
                case 0:
                    if plain[place] != nil { break }
                    nextKey += 1
                    let entry = FileEntry(
                        key: DocumentKey(minted: UInt64(nextKey)),
                        identity: UInt64.random(in: 1...4, using: &random))
                    plain[place] = entry
                    folders[place.folder].files[place.name] = entry
                case 1: look(place)
                case 2: remove(place)
                case 3:
                    guard let source = plain.keys.randomElement(using: &random), source != place,
                        let entry = plain[source]
                    else { break }
                    // A rename over another file, which may take over its key.
                    let there = plain[place]
                    remove(place)
                    plain[source] = nil
                    folders[source.folder].files[source.name] = nil
                    let key = random.chance(0.5) ? there?.key ?? entry.key : entry.key
                    tree.setFile(
                        entry, as: key, at: place.name, in: folders[place.folder])
                    plain[place] = FileEntry(key: key, identity: entry.identity)
                    if noted.remove(entry.key) != nil { noted.insert(key) }
                default:
                    if !tree.isSearchNeeded { break }
                    let isWhole = random.chance(0.7)
                    let found = tree.findNames(below: [root], isWhole: isWhole)
                    for place in found {
                        let entry = place.folder.files[place.name]
                        #expect(entry.map { noted.insert($0.key).inserted } == true, "step \(step)")
                    }
                    if isWhole { #expect(!tree.isSearchNeeded) }
                }
                for identity in 1...4 as ClosedRange<UInt64> {
                    let expected = plain.values.filter {
                        $0.identity == identity && noted.contains($0.key)
                    }
                    let known = tree.names(of: identity)
                    #expect(Set(known.keys) == Set(expected.map(\.key)), "step \(step)")
                    for (key, name) in known {
                        #expect(name.folder.files[name.name]?.key == key, "step \(step)")
                    }
                }
                tree.checkInvariants(below: [root])
            }
            // A check that finds another name finds all names.
            for identity in 1...4 as ClosedRange<UInt64> {
                let place = plain.first {
                    $0.value.identity == identity && !noted.contains($0.value.key)
                }
                if let place { look(place.key) }
            }
            _ = tree.findNames(below: [root], isWhole: true)
            for identity in 1...4 as ClosedRange<UInt64> where count(identity) > 1 {
                #expect(tree.names(of: identity).count == count(identity))
            }
        }
    }
}
