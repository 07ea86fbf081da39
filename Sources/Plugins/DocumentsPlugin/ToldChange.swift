internal import JSONText
internal import PickerModel
internal import WireProtocol

/// Writes the data of the events about a change. Rows of one folder mostly come in a row, so the text of the root
/// written last is kept.
struct ToldChange {
    private let table: DocumentTable
    private let rev: Int
    private var folder: FolderNumber?
    private var rootText = ""

    init(_ change: DocumentChange) {
        table = change.table
        rev = change.rev
    }

    /// The root of a document.
    mutating func root(of row: DocumentRow) -> String {
        turn(to: row)
        return rootText
    }

    /// Writes where a document is, or was, and where it came from.
    mutating func write(
        _ row: DocumentRow, from old: DocumentRow? = nil, to writer: inout JSONWriter
    ) {
        let former = old.map { place(of: $0) }
        let (root, path) = place(of: row)
        writer.object { writer in
            writer.member("key", table.text(of: table.key(of: row)))
            writer.member("path", path.text)
            writer.member("root", root)
            if let former {
                writer.member("from", former.path.text)
                writer.member("fromRoot", former.root)
            }
            writer.member("rev", rev)
            // Only for paths that are not valid UTF-8.
            if let bytes = path.rawBytes { writer.member(base64: "pathB64", bytes) }
            if let bytes = former?.path.rawBytes { writer.member(base64: "fromB64", bytes) }
        }
    }

    private mutating func place(of row: DocumentRow) -> (root: String, path: FileName) {
        turn(to: row)
        return (rootText, table.path(of: row))
    }

    private mutating func turn(to row: DocumentRow) {
        let next = table.folder(of: row)
        if next == folder { return }
        let root = table.folders.root(of: next)
        if folder.map({ table.folders.root(of: $0) }) != root {
            rootText = table.folders.name(of: root).text
        }
        folder = next
    }
}
