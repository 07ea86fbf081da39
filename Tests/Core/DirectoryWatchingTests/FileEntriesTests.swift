import PickerModel
import TestSupport
import Testing

@testable import DirectoryWatching

@Suite struct FileEntriesTests {
    /// Names of all lengths, of which many are asked for that are not there.
    private static func name(_ random: inout SeededRandom) -> [UInt8] {
        let length = random.chance(0.1) ? Int.random(in: 1...255, using: &random) : 2
        return (0..<length).map { _ in UInt8.random(in: 0x61...0x66, using: &random) }
    }

    /// Keys of all sizes, the least and the greatest among them.
    private static func key(_ random: inout SeededRandom) -> DocumentKey {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: DocumentKey(packed: 0)
        case 1: DocumentKey(packed: (1 << 40) - 1)
        default: DocumentKey(packed: UInt64.random(in: 0..<1 << 40, using: &random))
        }
    }

    private static func isEqual(
        _ files: FileEntries, _ model: [[UInt8]: FileEntry]
    ) -> Bool {
        var seen: Set<[UInt8]> = []
        for (name, entry) in files {
            guard seen.insert(name).inserted, let known = model[name], known.key == entry.key,
                known.identity == entry.identity
            else { return false }
        }
        return seen.count == model.count && files.count == model.count
            && Set(files.keys) == Set(model.keys) && files.isEmpty == model.isEmpty
    }

    @Test("after random steps it has what a dictionary has")
    func random() throws {
        withSeed { random in
            for round in 0..<60 {
                var files = FileEntries()
                var model: [[UInt8]: FileEntry] = [:]
                for step in 0..<300 {
                    let name = Self.name(&random)
                    let place = Comment(rawValue: "round \(round), step \(step): \(random.seed)")
                    switch Int.random(in: 0..<10, using: &random) {
                    case 0 where random.chance(0.7):
                        let new = FileEntry(
                            key: Self.key(&random),
                            identity: UInt64.random(in: 0..<1 << 48, using: &random))
                        var asked = 0
                        let (at, added) = files.add(name[...], identity: new.identity) {
                            asked += 1
                            return new.key
                        }
                        #expect(files.name(at: at) == name, place)
                        let isNew = model[name] == nil
                        #expect((added == new.key) == isNew && asked == (isNew ? 1 : 0), place)
                        #expect((added == nil) != isNew, place)
                        if isNew { model[name] = new }
                    case 0..<5:
                        let entry = FileEntry(
                            key: Self.key(&random),
                            identity: UInt64.random(in: 0..<1 << 48, using: &random))
                        files[name] = entry
                        model[name] = entry
                    case 5..<8:
                        let removed = files.removeValue(forKey: name)
                        let known = model.removeValue(forKey: name)
                        #expect(
                            removed?.key == known?.key && removed?.identity == known?.identity,
                            place)
                    case 8 where random.chance(0.1):
                        files = files.filter { $0.value.identity % 2 == 0 }
                        model = model.filter { $0.value.identity % 2 == 0 }
                    default:
                        #expect(files[name]?.key == model[name]?.key, place)
                    }
                    if step % 20 == 0 { #expect(Self.isEqual(files, model), place) }
                }
                #expect(Self.isEqual(files, model))
            }
        }
    }

    @Test("files that a sweep has not found are missing, whatever is added and removed")
    func sweeps() throws {
        withSeed { random in
            for round in 0..<60 {
                var files = FileEntries()
                var missing: Set<[UInt8]> = []
                for step in 0..<400 {
                    let name = Self.name(&random)
                    let place = Comment(rawValue: "round \(round), step \(step): \(random.seed)")
                    let entry = FileEntry(key: Self.key(&random), identity: UInt64(step))
                    switch Int.random(in: 0..<40, using: &random) {
                    case 0:
                        files.beginSweep()
                        missing = Set(files.keys)
                    case 1 where random.chance(0.1):
                        files.endSweep()
                        missing = []
                    case 2..<12:
                        files[name] = entry
                        missing.remove(name)
                    case 12..<18:
                        _ = files.add(name[...], identity: 1) { entry.key }
                        missing.remove(name)
                    case 18..<24:
                        #expect(files.found(name)?.key == files[name]?.key, place)
                        missing.remove(name)
                    case 24..<28 where !files.isEmpty:
                        let at = Int.random(in: 0..<files.count, using: &random)
                        missing.remove(files.name(at: at))
                        if random.chance(0.5) {
                            files.found(at: at)
                        } else {
                            let (name, known) = (files.name(at: at), files.entry(at))
                            #expect(files.remove(at: at).key == known.key, place)
                            #expect(files[name] == nil, place)
                        }
                    case 28..<34:
                        files.removeValue(forKey: name)
                        missing.remove(name)
                    case 34..<37:
                        // Another key finds nothing.
                        let isKnown = files[name] != nil
                        files.setKnown(entry, as: name)
                        #expect(files[name]?.key == (isKnown ? entry.key : nil), place)
                    default:
                        #expect(files[name] == nil || files.keys.contains(name), place)
                    }
                    var found: Set<[UInt8]> = []
                    var next = 0
                    while let at = files.nextMissing(from: next) {
                        found.insert(files.name(at: at))
                        next = at + 1
                    }
                    #expect(found == missing, place)
                }
            }
        }
    }

    @Test("many files are found, and removed in any order")
    func many() throws {
        withSeed { random in
            var files = FileEntries()
            let names = (0..<5000).map { Array("file \($0).txt".utf8) }
            if random.chance(0.5) { files.reserve(files: 3000, nameBytes: 40_000) }
            for (number, name) in names.enumerated() {
                files[name] = FileEntry(
                    key: DocumentKey(minted: UInt64(number)), identity: UInt64(number))
            }
            #expect(files.count == 5000)
            var left = names.shuffled(using: &random)
            while let name = left.popLast() {
                #expect(files.removeValue(forKey: name) != nil && files[name] == nil)
                if left.count % 500 == 0 {
                    #expect(files.count == left.count)
                    #expect(left.allSatisfy { files[$0] != nil })
                }
            }
            #expect(files.isEmpty)
        }
    }

    @Test("a copy is not changed with the original")
    func copies() {
        var files = FileEntries()
        files[[1]] = FileEntry(key: DocumentKey(minted: 1), identity: 1)
        var copy = files
        files[[1]] = nil
        files[[2]] = FileEntry(key: DocumentKey(minted: 2), identity: 2)
        #expect(copy[[1]]?.key == DocumentKey(minted: 1) && copy[[2]] == nil && copy.count == 1)
        #expect(files[[1]] == nil && files[[2]]?.identity == 2 && files.count == 1)
    }

    @Test("files of the last run are found by name, whatever is done first")
    func restored() throws {
        let table = DocumentTable()
        let root = try table.folders.add(Array("/r".utf8).span, in: nil)
        for number in 0..<300 {
            try table.put(
                DocumentKey(minted: UInt64(number)), in: root, named: Array("\(number)".utf8).span,
                facts: DocumentFacts(size: 1, modified: .init(seconds: 0)))
        }
        func name(_ number: Int) -> [UInt8] { Array("\(number)".utf8) }
        func entry(_ number: Int) -> FileEntry {
            FileEntry(key: DocumentKey(minted: UInt64(number)), identity: UInt64(number + 1))
        }
        let first: [(inout FileEntries) -> Void] = [
            { #expect($0[name(7)]?.key == entry(7).key) },
            { $0[name(300)] = entry(300) },
            { #expect($0.removeValue(forKey: name(5))?.identity == 6) },
            { #expect($0.add(name(5)[...], identity: 1) { entry(9).key }.newKey == nil) },
            { $0.reserve(files: 500, nameBytes: 1) },
            { $0.forgetIdentities() },
            { $0.keepNames() },
            { $0 = $0.filter { _, file in file.key != entry(3).key } },
            { $0.makeIndex() },
            { #expect($0.keys == (0..<300).map(name)) },
            {
                var place = 0
                $0.giveUpName(name(1), of: entry(1).key, near: &place)
            },
        ]
        for act in first {
            var files = FileEntries(names: FileNames(of: table))
            files.reserveRestored(200)
            for number in 0..<200 { files.restore(entry(number)) }
            files.reserveRestored(100)
            for number in 200..<300 { files.restore(entry(number)) }
            #expect(files.count == 300 && files.ownNameCount == 0)
            act(&files)
            for (name, file) in files { #expect(files[name]?.key == file.key) }
            #expect(files[name(4)]?.key == entry(4).key && files[name(1000)] == nil)
            files.removeValue(forKey: name(4))
            #expect(files[name(4)] == nil && (298...300).contains(files.count))
        }
    }

    @Test("names of documents are read in the table, whatever becomes of the documents")
    func names() throws {
        try withSeed { random in
            for round in 0..<40 {
                let table = DocumentTable()
                let root = try table.folders.add(Array("/r".utf8).span, in: nil)
                let facts = DocumentFacts(size: 1, modified: .init(seconds: 0))
                let names = FileNames(of: table)
                var files = FileEntries(names: names)
                var model: [[UInt8]: FileEntry] = [:]
                var key: UInt64 = 0
                for step in 0..<200 {
                    let name = Self.name(&random)
                    let place = Comment(rawValue: "round \(round), step \(step): \(random.seed)")
                    let known = model[name]
                    switch Int.random(in: 0..<10, using: &random) {
                    case 0..<4:
                        // A new file, or another one under a name.
                        let entry = FileEntry(
                            key: DocumentKey(minted: key),
                            identity: UInt64.random(in: 0..<1 << 48, using: &random))
                        key += 1
                        files[name] = entry
                        model[name] = entry
                        // Nothing else would read the former key's name.
                        if let known { Self.remove(known.key, names, table) }
                    case 4..<6:
                        // A commit of all files, some of whose documents displace those of others for a moment.
                        var hint = 0
                        for (name, entry) in model.shuffled(using: &random) {
                            let placed = try table.put(
                                entry.key, in: root, named: name.span, facts: facts)
                            #expect(placed.displaced == nil, place)
                            names.clearDisplaced(entry.key)
                            if random.chance(0.8) {
                                files.giveUpName(name, of: entry.key, near: &hint)
                            }
                        }
                        if random.chance(0.5) { table.releaseFreedRows() }
                    case 6:
                        // Another document takes the place of one.
                        guard let known, let row = table.row(of: known.key) else { break }
                        let other = DocumentKey(minted: key)
                        key += 1
                        let placed = try table.put(
                            other, in: root, named: name.span, facts: facts)
                        #expect(placed.displaced == row, place)
                        names.displace(row)
                        table.releaseFreedRows()
                        Self.remove(other, names, table)
                    case 7 where random.chance(0.1):
                        files.keepNames()
                        #expect(files.ownNameCount == files.count, place)
                        for entry in model.values { Self.remove(entry.key, names, table) }
                        table.releaseFreedRows()
                    case 8 where random.chance(0.2):
                        files = files.filter { $0.value.identity % 2 == 0 }
                        for entry in model.values where entry.identity % 2 != 0 {
                            Self.remove(entry.key, names, table)
                        }
                        model = model.filter { $0.value.identity % 2 == 0 }
                    default:
                        let removed = files.removeValue(forKey: name)
                        #expect(removed?.key == known?.key, place)
                        model[name] = nil
                        if let known { Self.remove(known.key, names, table) }
                    }
                    #expect(Self.isEqual(files, model), place)
                    if let known = model[name] {
                        #expect(files[name]?.identity == known.identity, place)
                    }
                }
            }
        }
    }

    @Test("all files are found before and after the slots of the index become wider")
    func growth() {
        var files = FileEntries()
        func name(_ number: Int) -> [UInt8] { Array("\(number)".utf8) }
        for number in 0..<58_000 {
            files[name(number)] = FileEntry(
                key: DocumentKey(minted: UInt64(number)), identity: UInt64(number))
            guard [1, 223, 224, 225, 57_343, 57_344, 57_345, 57_999].contains(number) else {
                continue
            }
            for each in 0...number { #expect(files[name(each)]?.identity == UInt64(each)) }
            #expect(files[name(number + 1)]?.identity == nil)
        }
    }

    private static func remove(_ key: DocumentKey, _ names: FileNames, _ table: DocumentTable) {
        if let row = table.row(of: key) { table.remove(row) }
        names.clearDisplaced(key)
    }

    @Test("a file whose document is in the table takes few bytes, however long its name is")
    func bytes() throws {
        for (count, most) in [(100, 16), (3000, 22), (70_000, 22)] {
            let table = DocumentTable()
            let root = try table.folders.add(Array("/r".utf8).span, in: nil)
            let names = FileNames(of: table)
            var files = FileEntries(names: names)
            files.reserve(files: count, nameBytes: count * 32)
            var hint = 0
            for number in 0..<count {
                let name = Array("a name of usual length \(100_000_000 + number)".utf8)
                let key = DocumentKey(minted: UInt64(number))
                files[name] = FileEntry(key: key, identity: UInt64(number))
                try table.put(
                    key, in: root, named: name.span,
                    facts: DocumentFacts(size: 1, modified: .init(seconds: 0)))
                files.giveUpName(name, of: key, near: &hint)
            }
            #expect(files.ownNameCount == 0)
            #expect(files.bytes <= count * most, "\(files.bytes / count) bytes each")
        }
    }
}
