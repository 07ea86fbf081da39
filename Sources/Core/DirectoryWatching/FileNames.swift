// The names of files whose folders do not keep them: those of their documents.
//
// A document is removed by its key only after its file has left the tree. But one that is put at the path of another
// removes that one, whose file may have moved and wait for its commit. The names of such files are kept here until they
// have documents again or are gone.

import PickerModel

/// Names by key. The names of documents of one table, and few others. Not thread-safe.
final class FileNames {
    private let table: DocumentTable
    private var displaced: [DocumentKey: [UInt8]] = [:]

    init(of table: DocumentTable) {
        self.table = table
    }

    /// The number of names that are not those of documents.
    var displacedCount: Int { displaced.count }

    /// The name of a file.
    /// - Complexity: O(n) in its length.
    func name(of key: DocumentKey) -> [UInt8]? {
        if !displaced.isEmpty, let name = displaced[key] { return name }
        guard let row = table.row(of: key) else {
            assertionFailure("\(key) has no name")
            return nil
        }
        return table.name(of: row).bytes
    }

    /// Whether a file has this name.
    func isName(_ name: ArraySlice<UInt8>, of key: DocumentKey) -> Bool {
        if !displaced.isEmpty, let other = displaced[key] { return name.elementsEqual(other) }
        return table.row(of: key).map { table.hasName(name, $0) } ?? false
    }

    /// Keeps the name of a document that gave way to another; its row is still readable.
    func displace(_ row: DocumentRow) { displaced[table.key(of: row)] = table.name(of: row).bytes }

    /// Whether a file lost its document to another file that has its path now. It keeps its key.
    func isDisplaced(_ key: DocumentKey) -> Bool { !displaced.isEmpty && displaced[key] != nil }

    /// Says that a file has a document again, or is gone.
    func clearDisplaced(_ key: DocumentKey) {
        if !displaced.isEmpty { displaced[key] = nil }
    }
}
