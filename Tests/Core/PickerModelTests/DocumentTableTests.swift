import TestSupport
import Testing

@testable import PickerModel

@Suite struct DocumentTableTests {
    /// A folder, or a document, of the plain model that the table is compared with.
    private struct PlainFolder {
        var parent: FolderNumber?
        var name: [UInt8]
    }

    private struct PlainDocument: Equatable {
        var folder: FolderNumber
        var name: [UInt8]
        var facts: DocumentFacts
        var isLiked = false
        var isDropped = false
    }

    /// The table, the model beside it, and random steps for both.
    private struct Script {
        let table = DocumentTable()
        var names: TableNames
        var documents: [String: PlainDocument] = [:]
        var folders: [FolderNumber: PlainFolder] = [:]
        /// The rows freed since the last release.
        var freed: [(row: DocumentRow, document: PlainDocument)] = []
        var nextKey = 0

        init(seed: UInt64) throws {
            names = TableNames(random: SeededNumbers(seed: seed))
            table.shortNameLimits = .init(leastDocuments: 1, rows: 60, written: 40)
            for root in ["/home/a", "/srv"] {
                let name = Array(root.utf8)
                let folder = try table.folders.add(name.span, in: nil)
                folders[folder] = PlainFolder(parent: nil, name: name)
            }
        }

        mutating func step() throws {
            switch Int.random(in: 0..<21, using: &names.random) {
            case 0..<7: try insert(under: makeKey())
            case 7, 8: if let key = anyKey() { try insert(under: key) }
            case 9, 10: try change()
            case 11: try mark()
            case 12, 13: try move()
            case 14, 15: remove()
            case 16: try addFolder()
            case 17: try moveFolder()
            case 18: removeFolder()
            case 19: try restore()
            default:
                table.releaseFreedRows()
                freed = []
            }
            if Bool.random(using: &names.random) { table.compact(budget: 100) }
            if Int.random(in: 0..<4, using: &names.random) == 0 {
                _ = table.shortNamesToComplete()?.advance(budget: 40)
            }
        }

        private mutating func makeKey() -> String {
            nextKey += 1
            let number = UInt64(nextKey)
            return switch nextKey % 8 {
            case 0: "plugin:é\(nextKey)"
            case 1: "f0\(nextKey)"
            case 2: "f" + String(number << 37, radix: 36)
            default: "f" + String(number, radix: 36)
            }
        }

        private mutating func anyKey() -> String? {
            documents.keys.sorted().randomElement(using: &names.random)
        }

        private mutating func anyFolder() -> FolderNumber? {
            folders.keys.sorted { $0.number < $1.number }.randomElement(using: &names.random)
        }

        private func row(_ key: String) throws -> DocumentRow {
            let number = try #require(table.key(key))
            return try #require(table.row(of: number))
        }

        private mutating func insert(under key: String) throws {
            guard let folder = anyFolder() else { return }
            let document = PlainDocument(
                folder: folder, name: names.name(), facts: names.facts(),
                isLiked: Bool.random(using: &names.random))
            let placement = try table.put(
                table.makeKey(key), in: folder, named: document.name.span, facts: document.facts,
                isLiked: document.isLiked)
            try take(placement, document, under: key)
        }

        /// Puts stored rows of another table into a folder: some under keys of documents.
        private mutating func restore() throws {
            guard let folder = anyFolder() else { return }
            let count = [1, 5, 31, 32, 33, 150].randomElement(using: &names.random) ?? 1
            let isPlain = Bool.random(using: &names.random)
            let other = DocumentTable()
            let place = try other.folders.add(Array("/r".utf8).span, in: nil)
            var bytes: [UInt8] = []
            var all: [(key: String, document: PlainDocument)] = []
            var seen: Set<[UInt8]> = []
            while all.count < count {
                let name = names.name() + (all.count < 8 ? [] : Array("\(all.count)".utf8))
                let key = Int.random(in: 0..<8, using: &names.random) == 0 ? anyKey() : makeKey()
                guard let key, let number = KeyNumber.mintedNumber(of: key),
                    !all.contains(where: { $0.key == key }), seen.insert(name).inserted
                else { continue }
                var facts = names.facts()
                if isPlain { facts = DocumentFacts(size: facts.size, modified: .init(seconds: 9)) }
                all.append((key, PlainDocument(folder: folder, name: name, facts: facts)))
                let row = try other.put(
                    KeyNumber(minted: number), in: place, named: name.span, facts: facts
                ).row
                let isEncoded = other.encode(
                    row, identity: UInt64(all.count), device: isPlain ? 0 : 2, to: &bytes)
                #expect(isEncoded)
            }
            var rows = table.noStoredRows
            // Read during the call only.
            unsafe bytes.withUnsafeBytes { bytes in
                var start = 0
                while start < bytes.count {
                    start +=
                        unsafe rows.append(UnsafeRawBufferPointer(rebasing: bytes[start...]))
                        ?? bytes.count
                }
            }
            #expect(
                rows.areTexts && rows.entries.map(\.identity) == (1...UInt64(count)).map(\.self))
            // As if others were before and behind them.
            let start = Int.random(in: 0...min(1, count - 1), using: &names.random)
            var made: [Int] = []
            try table.restore(
                rows, start..<count, in: folder, device: isPlain ? 0 : 2,
                hasTypes: Bool.random(using: &names.random)
            ) { index, row in made.append(index) }
            #expect(made == Array(start..<count))
            for (key, document) in all[start...] {
                for (other, plain) in documents
                where plain.folder == folder && plain.name == document.name {
                    documents[other] = nil
                }
                documents[key] = document
            }
        }

        /// The model's part of a placement, which must have freed the right rows.
        private mutating func take(
            _ placement: DocumentPlacement, _ document: PlainDocument, under key: String
        ) throws {
            let other = documents.first {
                $0.key != key && $0.value.folder == document.folder
                    && $0.value.name == document.name
            }
            #expect((placement.displaced != nil) == (other != nil))
            #expect((placement.replaced != nil) == (documents[key] != nil))
            if let other, let row = placement.displaced {
                #expect(table.text(of: table.key(of: row)) == other.key)
                freed.append((row, other.value))
                documents[other.key] = nil
            }
            if let old = documents[key], let row = placement.replaced { freed.append((row, old)) }
            documents[key] = document
            #expect(try row(key) == placement.row)
        }

        private mutating func change() throws {
            guard let key = anyKey(), var document = documents[key] else { return }
            let old = try row(key)
            freed.append((old, document))
            document.facts = names.facts()
            documents[key] = document
            #expect(try table.change(old, facts: document.facts) == row(key))
        }

        private mutating func mark() throws {
            guard let key = anyKey(), var document = documents[key] else { return }
            let old = try row(key)
            freed.append((old, document))
            document.isLiked.toggle()
            document.isDropped = Bool.random(using: &names.random)
            documents[key] = document
            _ = try table.mark(old, isLiked: document.isLiked, isDropped: document.isDropped)
        }

        private mutating func move() throws {
            guard let key = anyKey(), let folder = anyFolder(), var document = documents[key]
            else { return }
            document.folder = folder
            try take(table.move(row(key), to: folder), document, under: key)
        }

        private mutating func remove() {
            guard let key = anyKey(), let document = documents[key],
                let number = table.key(key), let row = table.row(of: number)
            else { return }
            table.remove(row)
            freed.append((row, document))
            documents[key] = nil
        }

        private func hasFolder(_ parent: FolderNumber?, _ name: [UInt8]) -> Bool {
            folders.values.contains { $0.parent == parent && $0.name == name }
        }

        private mutating func addFolder() throws {
            guard folders.count < 12 else { return }
            let parent = anyFolder()
            let name = names.name()
            let isKnown = hasFolder(parent, name)
            let folder = try table.folders.add(name.span, in: parent)
            #expect((folders[folder] != nil) == isKnown)
            folders[folder] = PlainFolder(parent: parent, name: name)
        }

        private func isInside(_ folder: FolderNumber, _ other: FolderNumber) -> Bool {
            folder == other || folders[folder]?.parent.map { isInside($0, other) } == true
        }

        private mutating func moveFolder() throws {
            guard let folder = anyFolder(), let parent = anyFolder(),
                folders[folder]?.parent != nil
            else { return }
            let name = names.name()
            let known = table.folders.folder(in: parent, named: name.span)
            #expect((known != nil) == hasFolder(parent, name))
            if isInside(parent, folder) || known != nil && known != folder {
                #expect(throws: DocumentTableError.self) {
                    try table.folders.move(folder, to: parent, named: name.span)
                }
            } else {
                try table.folders.move(folder, to: parent, named: name.span)
                folders[folder] = PlainFolder(parent: parent, name: name)
            }
        }

        /// Removes a folder without documents and folders.
        private mutating func removeFolder() {
            guard let folder = anyFolder(), folders[folder]?.parent != nil,
                !folders.values.contains(where: { $0.parent == folder }),
                !documents.values.contains(where: { $0.folder == folder })
            else { return }
            table.folders.remove(folder)
            folders[folder] = nil
        }

        private func path(of document: PlainDocument) -> (root: [UInt8], path: [UInt8]) {
            var path = document.name
            var folder = document.folder
            while let plain = folders[folder], let parent = plain.parent {
                path = plain.name + [UInt8(ascii: "/")] + path
                folder = parent
            }
            return (folders[folder]?.name ?? [], path)
        }

        /// Compares everything.
        func check() throws {
            table.checkInvariants()
            #expect(table.count == documents.count)
            #expect(table.folders.count == folders.count)
            for (key, document) in documents {
                let row = try row(key)
                try check(row, document)
                let (root, path) = path(of: document)
                #expect(table.path(of: row).bytes == path)
                #expect(table.root(of: row).bytes == root)
                #expect(table.row(in: document.folder, bytes: document.name) == row)
                #expect(table.isCurrent(row))
            }
            for (row, document) in freed {
                try check(row, document)
                #expect(!table.isCurrent(row))
            }
        }

        private func check(_ row: DocumentRow, _ document: PlainDocument) throws {
            let name = table.name(of: row)
            #expect(name.bytes == document.name)
            #expect(table.facts(of: row) == document.facts)
            #expect(table.folder(of: row) == document.folder)
            #expect(table.isLiked(row) == document.isLiked)
            #expect(table.isDropped(row) == document.isDropped)
            #expect(table.type(of: row) == MediaType(forName: name.text))
        }
    }

    @Test("equals plain dictionaries after each of many random changes")
    func randomScripts() throws {
        let seed = SeededNumbers.seed()
        for run in 0..<testRounds(2) {
            var script = try Script(seed: seed &+ UInt64(run))
            for _ in 0..<250 {
                try script.step()
                try script.check()
            }
        }
    }

    @Test("freed rows and their room are used again, so that changes take no more memory")
    func reuse() throws {
        let table = DocumentTable()
        let root = try table.folders.add(Array("/r".utf8).span, in: nil)
        var rows: [DocumentRow] = []
        for index in 0..<500 {
            let name = Array("Document number \(index).txt".utf8)
            rows.append(
                try table.put(
                    KeyNumber(minted: UInt64(index)), in: root, named: name.span,
                    facts: DocumentFacts(size: 1, modified: FileTime(seconds: 0))
                ).row)
        }
        let bytes = table.bytesInUse
        for round in 1...40 {
            for index in rows.indices {
                rows[index] = try table.change(
                    rows[index],
                    facts: DocumentFacts(
                        size: UInt64(round), modified: FileTime(seconds: 0)))
                if index % 10 == 9 { table.releaseFreedRows() }
            }
            while !table.compact(budget: 1000) {}
        }
        table.checkInvariants()
        #expect(table.rowEnd <= 510)
        #expect(table.bytesInUse <= bytes * 5 / 4, "\(bytes) before")
    }

    @Test("compaction frees what is dead, in steps of the given size")
    func compaction() throws {
        let table = DocumentTable()
        let root = try table.folders.add(Array("/r".utf8).span, in: nil)
        var rows: [DocumentRow] = []
        for index in 0..<2000 {
            let name = Array("Straße \(index) with a rather long name.txt".utf8)
            rows.append(
                try table.put(
                    KeyNumber(minted: UInt64(index)), in: root, named: name.span,
                    facts: DocumentFacts(size: 1, modified: FileTime(seconds: 0))
                ).row)
        }
        for (index, row) in rows.enumerated() where index % 4 != 0 { table.remove(row) }
        #expect(!table.needsCompaction)
        table.releaseFreedRows()
        #expect(table.needsCompaction)
        let before = table.bytesInUse
        var steps = 0
        var moved: [Int] = []
        var isComplete = false
        while !isComplete {
            let copied = table.texts.copied + table.differences.copied
            isComplete = table.compact(budget: 2000)
            moved.append(table.texts.copied + table.differences.copied - copied)
            steps += 1
            table.checkInvariants()
        }
        #expect(steps > 10)
        #expect((moved.max() ?? 0) < 2000 + 64 * 60, "the names of one block more at most")
        #expect(table.bytesInUse < before - 1500 * 50)
        for (index, row) in rows.enumerated() where index % 4 == 0 {
            #expect(table.name(of: row).text == "Straße \(index) with a rather long name.txt")
        }
    }

    @Test("moving a folder moves all that is in it, and copies nothing of it")
    func folderMove() throws {
        let table = DocumentTable()
        let root = try table.folders.add(Array("/r".utf8).span, in: nil)
        let folder = try table.folders.add(Array("photos".utf8).span, in: root)
        let other = try table.folders.add(Array("old".utf8).span, in: root)
        for index in 0..<4000 {
            try table.put(
                KeyNumber(minted: UInt64(index)), in: folder, named: Array("\(index)".utf8).span,
                facts: DocumentFacts(size: 1, modified: FileTime(seconds: 0)))
        }
        let name = Array("2024".utf8)
        let cost = try Cost.of {
            try table.folders.move(folder, to: other, named: name.span)
        }
        // Less than a byte of each document. The folders' names take some 1,500 bytes, and 100 to 300 more for each one
        // that has the place of another in the index.
        #expect(cost.allocations == 0 && cost.moved < 3000, "\(cost)")
        let row = try #require(table.row(in: folder, "7"))
        #expect(table.path(of: row).text == "old/2024/7")
        #expect(throws: DocumentTableError.folderInsideItself) {
            try table.folders.move(other, to: folder, named: name.span)
        }
    }

    @Test("at a limit nothing is added, and the error says so")
    func limits() throws {
        var limits = DocumentTable.Limits()
        limits.rows = 100
        let table = DocumentTable(limits: limits)
        let root = try table.folders.add(Array("/r".utf8).span, in: nil)
        let facts = DocumentFacts(size: 1, modified: FileTime(seconds: 0))
        for index in 0..<100 {
            try table.put(
                KeyNumber(minted: UInt64(index)), in: root, named: Array("\(index)".utf8).span,
                facts: facts)
        }
        #expect(throws: DocumentTableError.tooManyRows(limit: 100)) {
            try table.put(
                KeyNumber(minted: 100), in: root, named: Array("x".utf8).span, facts: facts)
        }
        table.checkInvariants()
        let row = try #require(table.row(of: KeyNumber(minted: 7)))
        table.remove(row)
        #expect(throws: DocumentTableError.self) {
            try table.put(
                KeyNumber(minted: 100), in: root, named: Array("x".utf8).span, facts: facts)
        }
        table.releaseFreedRows()
        try table.put(
            KeyNumber(minted: 100), in: root, named: Array("x".utf8).span, facts: facts)
        for name in ["", "a/b", "a\0", String(repeating: "x", count: 4097)] {
            #expect(throws: DocumentTableError.badName(bytes: name.utf8.count)) {
                try table.put(
                    KeyNumber(minted: 7), in: root, named: Array(name.utf8).span, facts: facts)
            }
        }
        table.checkInvariants()
    }

    @Test("a full arena accepts no more names, but changes after names were removed")
    func arenaLimit() throws {
        var limits = DocumentTable.Limits()
        limits.arenaBytes = 10_000
        for name in ["plain name that is folded", "Straße, with exact bytes as well"] {
            let table = DocumentTable(limits: limits)
            let root = try table.folders.add(Array("/r".utf8).span, in: nil)
            let facts = DocumentFacts(size: 1, modified: FileTime(seconds: 0))
            var rows: [DocumentRow] = []
            var error: DocumentTableError?
            while error == nil {
                do throws(DocumentTableError) {
                    rows.append(
                        try table.put(
                            KeyNumber(minted: UInt64(rows.count)), in: root,
                            named: Array("\(name) \(rows.count)".utf8).span, facts: facts
                        ).row)
                } catch let thrown {
                    error = thrown
                }
                table.checkInvariants()
            }
            #expect(error == .tooManyBytes(limit: 10_000))
            #expect(rows.count > 100)
            for row in rows.prefix(50) { table.remove(row) }
            table.releaseFreedRows()
            while !table.compact(budget: 500) {}
            let added = try table.put(
                KeyNumber(minted: 5000), in: root, named: Array(name.utf8).span, facts: facts)
            #expect(table.name(of: added.row).text == name)
            table.checkInvariants()
        }
    }

    /// A table, the plain lists of what it has and of what is freed, and the holds.
    private struct HoldScript {
        let table = DocumentTable()
        let root: FolderNumber
        var random: SeededNumbers
        var current: [(row: DocumentRow, name: String)] = []
        /// The oldest first.
        var freed: [(row: DocumentRow, name: String)] = []
        /// Each with the number of rows freed before it, and the rows that it keeps.
        var holds: [(hold: RowHold, freedBefore: Int, rows: [(row: DocumentRow, name: String)])] =
            []
        var released = 0
        var keys: UInt64 = 0

        init(seed: UInt64) throws {
            random = SeededNumbers(seed: seed)
            root = try table.folders.add(Array("/r".utf8).span, in: nil)
        }

        mutating func step() throws {
            let facts = DocumentFacts(
                size: UInt64.random(in: 0...9, using: &random), modified: FileTime(seconds: 0))
            let place = current.indices.randomElement(using: &random)
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<4:
                keys += 1
                let name = keys % 3 == 0 ? "Straße \(keys)" : "Name \(keys)"
                let bytes = Array(name.utf8)
                let placement = try table.put(
                    KeyNumber(minted: keys), in: root, named: bytes.span, facts: facts)
                current.append((placement.row, name))
            case 4..<7:
                guard let place else { return }
                freed.append(current[place])
                current[place].row = try table.change(current[place].row, facts: facts)
            case 7:
                guard let place else { return }
                freed.append(current[place])
                table.remove(current.remove(at: place).row)
            case 8: holds.append((table.hold(), released + freed.count, current))
            case 9:
                guard let ended = holds.indices.randomElement(using: &random) else { return }
                holds.remove(at: ended)
            default:
                let before = holds.map(\.freedBefore).min() ?? released + freed.count
                freed.removeFirst(max(0, before - released))
                released = max(released, before)
                #expect(table.releaseFreedRows() == freed.isEmpty)
            }
            if Bool.random(using: &random) { table.compact(budget: 100) }
        }

        func check(_ comment: Comment) {
            table.checkInvariants()
            #expect(table.count == current.count, comment)
            #expect(table.rowsInUse == current.count + freed.count, comment)
            for (row, name) in current + freed + holds.flatMap(\.rows) {
                #expect(table.name(of: row).text == name, comment)
            }
            // No two of them have one number.
            #expect(Set((current + freed).map(\.row)).count == table.rowsInUse, comment)
        }
    }

    @Test("rows that are current at a hold remain readable while it exists, whatever is released")
    func randomHolds() throws {
        let seed = SeededNumbers.seed()
        for run in 0..<30 {
            var script = try HoldScript(seed: seed &+ UInt64(run))
            for step in 0..<200 {
                try script.step()
                script.check("seed \(seed), run \(run), step \(step)")
            }
            script.holds = []
            #expect(script.table.releaseFreedRows())
            #expect(script.table.rowsInUse == script.current.count)
        }
    }

    @Test("a row freed before a hold is released, and its number used again; later ones wait")
    func hold() throws {
        let table = DocumentTable()
        let root = try table.folders.add(Array("/r".utf8).span, in: nil)
        let facts = DocumentFacts(size: 1, modified: FileTime(seconds: 0))
        func put(_ name: String, _ key: UInt64) throws -> DocumentRow {
            let bytes = Array(name.utf8)
            return try table.put(
                KeyNumber(minted: key), in: root, named: bytes.span, facts: facts
            ).row
        }
        let rows = try (0..<4).map { try put("n\($0)", UInt64($0)) }
        table.remove(rows[0])
        var first: RowHold? = table.hold()
        table.remove(rows[1])
        var second: RowHold? = table.hold()
        table.remove(rows[2])
        #expect(table.rowsInUse == 4)
        #expect(!table.releaseFreedRows())
        #expect(table.rowsInUse == 3)
        #expect(try put("new", 9) == rows[0])
        #expect(table.name(of: rows[1]).text == "n1" && table.name(of: rows[2]).text == "n2")
        // The older hold keeps all that were freed since.
        second = nil
        #expect(!table.releaseFreedRows())
        #expect(table.name(of: rows[1]).text == "n1" && table.name(of: rows[2]).text == "n2")
        second = table.hold()
        first = nil
        #expect(table.releaseFreedRows(), "all were freed before the hold that is left")
        #expect(table.rowsInUse == 2)
        table.remove(rows[3])
        #expect(!table.releaseFreedRows())
        #expect(table.name(of: rows[3]).text == "n3")
        second = nil
        #expect(table.releaseFreedRows() && table.rowsInUse == 1)
        table.checkInvariants()
        withExtendedLifetime((first, second)) {}
    }

    @Test("a released row can't be read")
    func released() async {
        await #expect(processExitsWith: .failure) {
            let table = DocumentTable()
            let root = try table.folders.add(Array("/r".utf8).span, in: nil)
            let row = try table.put(
                KeyNumber(minted: 1), in: root, named: Array("a".utf8).span,
                facts: DocumentFacts(size: 1, modified: FileTime(seconds: 0))
            ).row
            table.remove(row)
            table.releaseFreedRows()
            _ = table.name(of: row)
        }
    }
}
