// Names for tests of the table of documents, in every form in which it stores them.

@testable import PickerModel

struct TableNames {
    var random: SeededNumbers

    /// A name in bytes: often one of a few, so that places collide.
    mutating func name() -> [UInt8] {
        let kind = Int.random(in: 0..<10, using: &random)
        switch kind {
        case 0: return Array("notes.md".utf8)
        case 1: return Array((["A", "a", "á", "Á"].randomElement(using: &random) ?? "a").utf8)
        case 2: return [0x61, 0xFF, UInt8.random(in: 0x80...0xFF, using: &random)]
        case 3:
            // A capital behind the first 32 bytes.
            let count = Int.random(in: 28...40, using: &random)
            return Array((String(repeating: "x", count: count) + "Y.txt").utf8)
        case 4: return Array("ﷺ\(Int.random(in: 0..<9, using: &random)) Straße ٣٤".utf8)
        case 5:
            let count = Int.random(in: 1...300, using: &random)
            return (0..<count).map { _ in UInt8.random(in: 0x30...0x7A, using: &random) }
        case 6: return [0xCC, 0x81]
        default:
            let number = Int.random(in: 0..<1000, using: &random)
            return Array("IMG_2024\(number).JPG".utf8)
        }
    }

    mutating func facts() -> DocumentFacts {
        let seconds: Int64 =
            [1_700_000_000, -5, Int64.max, Int64.min, -1 << 33, 1 << 33]
            .randomElement(using: &random) ?? 0
        return DocumentFacts(
            size: UInt64.random(in: 0...UInt64.max, using: &random),
            modified: FileTime(
                seconds: seconds, nanoseconds: UInt32.random(in: 0..<1000, using: &random)),
            device: UInt64.random(in: 1...3, using: &random),
            inode: UInt64.random(in: 0...UInt64.max, using: &random))
    }
}

extension DocumentTable {
    /// The row of a document, for expectations, which can't have a span.
    func row(in folder: FolderNumber, bytes name: [UInt8]) -> DocumentRow? {
        row(in: folder, named: name.span)
    }

    func row(in folder: FolderNumber, _ name: String) -> DocumentRow? {
        row(in: folder, bytes: Array(name.utf8))
    }
}
