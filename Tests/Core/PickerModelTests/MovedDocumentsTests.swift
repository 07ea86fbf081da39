// Documents that are moved to other folders under their names, as the files of a moved folder are.

import PickerModel
import TestSupport
import Testing

@Suite struct MovedDocumentsTests {
    private static let root = "/r"

    private static func facts(_ number: Int) -> DocumentFacts {
        DocumentFacts(size: UInt64(number), modified: FileTime(seconds: 1), device: 7)
    }

    private static func number(
        _ folder: String, _ edits: borrowing DocumentEdits
    ) throws -> FolderNumber {
        try edits.folder(root: root, path: Array(folder.utf8))
    }

    @Test("two documents that change places in one transaction keep their keys and facts")
    func swap() throws {
        let store = DocumentStore(epoch: "e")
        let (first, second) = (store.mintKeyNumber(), store.mintKeyNumber())
        let name = Array("Łódź".utf8)
        store.edit { edits in
            _ = try? edits.put(
                first, in: Self.number("a/", edits), named: name, facts: Self.facts(1))
            _ = try? edits.put(
                second, in: Self.number("b/", edits), named: name, facts: Self.facts(2))
        }
        var areMoved: [Bool?] = []
        let change = store.edit { edits in
            areMoved.append(try? edits.move(first, to: Self.number("b/", edits)))
            areMoved.append(try? edits.move(second, to: Self.number("a/", edits)))
            areMoved.append(
                try? edits.move(KeyNumber(minted: 99), to: Self.number("a/", edits)))
        }
        #expect(areMoved == [true, true, false])
        #expect(change?.removedRows.isEmpty == true && change?.movedRows.count == 2)
        let table = store.table
        for (key, folder, size) in [(first, "b/", 1), (second, "a/", 2)] {
            let row = try #require(table.row(of: key))
            #expect(table.document(of: row).path.text == folder + "Łódź")
            #expect(table.facts(of: row) == Self.facts(size))
        }
    }

    @Test("random moves, several in a transaction, are those of a plain list of places")
    func random() {
        withSeed { random in
            let store = DocumentStore(epoch: "e")
            let folders = ["", "a/", "b/", "ä/c/"]
            let names = ["x", "Y.md", "Łódź 1", "ß"]
            /// The path and the facts of each document.
            var plain: [KeyNumber: (folder: String, name: String, size: Int)] = [:]
            var displaced = 0
            for round in 0..<600 {
                let key = store.mintKeyNumber()
                let before = plain
                let isNew = plain.count < 4 || random.chance(0.2)
                let place = folders.randomElement(using: &random) ?? ""
                let name = names.randomElement(using: &random) ?? "x"
                let keys = plain.keys.sorted()
                let moves = (0..<Int.random(in: 0...4, using: &random)).map { _ in
                    (
                        keys.randomElement(using: &random) ?? key,
                        folders.randomElement(using: &random) ?? ""
                    )
                }
                func put(_ key: KeyNumber, _ folder: String, _ name: String, _ size: Int) {
                    let other = plain.first {
                        $0.key != key && $0.value.folder == folder && $0.value.name == name
                    }
                    if let other {
                        plain[other.key] = nil
                        displaced += 1
                    }
                    plain[key] = (folder, name, size)
                }
                store.edit { edits in
                    do {
                        if isNew {
                            edits.put(
                                key, in: try Self.number(place, edits), named: Array(name.utf8),
                                facts: Self.facts(round))
                            put(key, place, name, round)
                        }
                        for (key, folder) in moves {
                            let known = plain[key] ?? before[key]
                            let isMoved = edits.move(key, to: try Self.number(folder, edits))
                            #expect(isMoved == (known != nil), "seed \(random.seed)")
                            if let known { put(key, folder, known.name, known.size) }
                        }
                    } catch {
                        Issue.record("seed \(random.seed): \(error)")
                    }
                }
                var found: [KeyNumber: String] = [:]
                for (key, place) in plain {
                    guard let row = store.table.row(of: key) else { continue }
                    found[key] = store.table.document(of: row).path.text
                    #expect(store.table.facts(of: row) == Self.facts(place.size))
                }
                #expect(
                    store.count == plain.count
                        && found == plain.mapValues { $0.folder + $0.name },
                    "seed \(random.seed), round \(round)")
            }
            #expect(displaced > 100)
        }
    }

    @Test("a move under the same name costs less than a put of that name")
    func cost() throws {
        let store = DocumentStore(epoch: "e")
        let names = (0..<1000).map { Array("Straße Name \($0).txt".utf8) }
        let keys = names.map { _ in store.mintKeyNumber() }
        try store.table.reserve(rows: 8000, nameBytes: 200_000)
        func cost(_ folder: String, _ act: (inout DocumentEdits, FolderNumber, Int) -> Void) -> Cost
        {
            Cost.of {
                store.edit { edits in
                    guard let number = try? Self.number(folder, edits) else { return }
                    for index in keys.indices { act(&edits, number, index) }
                }
            }
        }
        func put(_ folder: String) -> Cost {
            cost(folder) { edits, number, index in
                // As a file's name is read, when its document has it.
                let known = store.table.row(of: keys[index]).map { store.table.name(of: $0).bytes }
                edits.put(
                    keys[index], in: number, named: known ?? names[index],
                    facts: known == nil ? Self.facts(index) : nil)
            }
        }
        func move(_ folder: String) -> Cost {
            cost(folder) { edits, number, index in edits.move(keys[index], to: number) }
        }
        _ = put("a/")
        _ = move("b/")
        let (puts, moves) = (put("c/"), move("d/"))
        #expect(
            moves.allocations + 1000 <= puts.allocations && moves.retains < puts.retains,
            "\(moves), and \(puts)")
        #expect(store.count == 1000)
    }
}
