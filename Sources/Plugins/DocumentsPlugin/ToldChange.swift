internal import JSONText
internal import MediaTypes
internal import PickerModel
internal import WireProtocol

/// Writes the data of the events about a change. Rows of one folder mostly come in a row, so the path of the folder
/// that was written last is kept: of those where documents are, and of those where they came from.
struct ToldChange {
    /// The path of a row, and its root.
    private struct Place {
        private(set) var root = ""
        /// The path below the root, of the folder and then of the row.
        private(set) var path: [UInt8] = []
        private var folder: FolderNumber?
        private var folderCount = 0
        /// The URI of the folder, with a slash, and then of the row.
        private var uri: [UInt8] = []
        private var folderURICount = 0

        mutating func turn(to row: DocumentRow, of table: DocumentTable) {
            let next = table.folder(of: row)
            if next == folder { return }
            let above = table.folders.root(of: next)
            if folder.map({ table.folders.root(of: $0) }) != above {
                root = table.folders.name(of: above).text
            }
            folder = next
            path.removeAll(keepingCapacity: true)
            table.folders.appendPath(of: next, to: &path)
            folderCount = path.count
            var uri = Array(FileURI.start.utf8)
            FileURI.append(table.folders.nameBytes(of: above).span, to: &uri)
            if uri.last != UInt8(ascii: "/") { uri.append(UInt8(ascii: "/")) }
            FileURI.append(path.span, to: &uri)
            folderURICount = uri.count
            self.uri = uri
        }

        mutating func set(_ row: DocumentRow, of table: DocumentTable) {
            turn(to: row, of: table)
            path.removeSubrange(folderCount...)
            table.appendName(of: row, to: &path)
        }

        /// Writes the URI of the row.
        mutating func writeURI(to writer: inout JSONWriter) {
            // Not copied.
            var uri: [UInt8] = []
            swap(&uri, &self.uri)
            defer { swap(&uri, &self.uri) }
            uri.removeSubrange(folderURICount...)
            FileURI.append(path.span.extracting(folderCount...), to: &uri)
            // All of it is ASCII.
            if let text = try? UTF8Span(validating: uri.span) {
                writer.key("uri")
                writer.string(text)
            }
        }

        /// Writes the path as text.
        /// - Returns: the bytes of one that is not UTF-8.
        func write(_ name: StaticString, to writer: inout JSONWriter) -> [UInt8]? {
            if let text = try? UTF8Span(validating: path.span) {
                writer.key(name)
                writer.string(text)
                return nil
            }
            let known = FileName(bytes: path)
            writer.member(name, known.text)
            return known.rawBytes
        }
    }

    private let table: DocumentTable
    private let rev: Int
    private var place = Place()
    private var former = Place()

    init(_ change: DocumentChange) {
        table = change.table
        rev = change.rev
    }

    /// The root of a document.
    mutating func root(of row: DocumentRow) -> String {
        place.turn(to: row, of: table)
        return place.root
    }

    /// Writes where a document is, or was, and where it came from.
    mutating func write(
        _ row: DocumentRow, from old: DocumentRow? = nil, to writer: inout JSONWriter
    ) {
        place.set(row, of: table)
        if let old { former.set(old, of: table) }
        writer.object { writer in
            writer.member("key", table.text(of: table.key(of: row)))
            let bytes = place.write("path", to: &writer)
            writer.member("root", place.root)
            place.writeURI(to: &writer)
            var formerBytes: [UInt8]?
            if old != nil {
                formerBytes = former.write("from", to: &writer)
                writer.member("fromRoot", former.root)
            }
            writer.member("rev", rev)
            // Only for paths that are not valid UTF-8.
            if let bytes { writer.member(base64: "pathB64", bytes) }
            if let formerBytes { writer.member(base64: "fromB64", formerBytes) }
        }
    }
}
