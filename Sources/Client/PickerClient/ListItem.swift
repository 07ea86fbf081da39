internal import JSONText
internal import MediaTypes
package import WireProtocol

/// One row of a list: a document, or the row that makes a new one.
///
/// All but ``key`` and ``isNew`` are nil if the query's fields left them out.
public struct ListItem: Hashable, Sendable {
    package let record: ItemRecord

    package init(_ record: ItemRecord) { self.record = record }

    /// The identity of a document across renames, moves and saves; `new` for the other row.
    public var key: String { record.key }
    /// Whether this is the row that makes a new document.
    public var isNew: Bool { record.kind == .new }
    /// The file's name, with U+FFFD for bytes that are not UTF-8.
    public var name: String? { record.name?.text }
    /// The bytes of a name that is not UTF-8; otherwise nil.
    package var nameBytes: [UInt8]? { record.name?.bytes }
    /// The path relative to ``root``, with U+FFFD for bytes that are not UTF-8.
    public var path: String? { record.path?.text }
    /// The bytes of a path that is not UTF-8; otherwise nil.
    package var pathBytes: [UInt8]? { record.path?.bytes }
    /// The absolute path of the watched folder.
    public var root: String? { record.root }
    /// The size in bytes.
    public var size: Int64? { record.size }
    /// The time of the last change of content, in seconds since 1970.
    public var modified: Double? { record.modified }
    /// The MIME type, derived from the name.
    public var type: String? { record.type }
    /// Whether the document is liked.
    public var isLiked: Bool { record.liked }
    /// Whether the user dropped it: then it is in lists that ask for such, and in no others.
    public var isDropped: Bool { record.dropped }
    /// The parts of ``name`` that the search has found, as ranges of its bytes in UTF-8: ascending, and none
    /// overlaps another. Empty if the search found nothing in the name itself, but in the folder; nil unless the
    /// query asks for ``ListQuery/highlights`` and has a search.
    ///
    /// A connection on which `daemon.hello` was sent with other `units` counts in those instead.
    public var matches: [Range<Int>]? { record.matches.map { Self.ranges(between: $0) } }

    /// The parts of ``path`` up to its last slash that a fuzzy search has found, as ranges of its bytes in UTF-8,
    /// like ``matches``. Nil if all is found in the name, and unless the query asks for ``ListQuery/highlights``.
    public var folderMatches: [Range<Int>]? {
        record.folderMatches.map { Self.ranges(between: $0) }
    }

    private static func ranges(between ends: [Int]) -> [Range<Int>] {
        stride(from: 0, to: ends.count - 1, by: 2).map { ends[$0]..<ends[$0 + 1] }
    }

    /// The value of an attribute; nil if it is not known, or the query does not ask for it.
    public func attribute(_ name: AttributeName) -> AttributeValue? {
        switch record.attributes[name.text] {
        case .bool(let flag)?: AttributeValue(flag)
        case .string(let text)?: AttributeValue(text)
        case let value?: value.doubleValue.map { AttributeValue($0) }
        case nil: nil
        }
    }

    /// The attributes that it has, as texts, by name.
    package var attributeTexts: [(name: String, text: String)] {
        record.attributes.members.map { ($0.key, $0.value.stringValue ?? $0.value.description) }
            .sorted { $0.0 < $1.0 }
    }

    /// The absolute path, as the file system has it; nil of the row that makes a new document, and where
    /// the query's fields left ``root`` or ``path`` out.
    ///
    /// Of an item of a plugin's source it is the path of the file that its ``uri`` names, and nil for other URIs.
    public var absolutePathBytes: [UInt8]? {
        guard let root = record.root, let path = record.path else { return nil }
        return Self.absolutePath(root, path, uri)
    }

    /// Where an item of a plugin's source is, if the source says so and the query asks for the attribute `uri`.
    public var uri: String? { record.attributes["uri"]?.stringValue }

    /// The path below a root; of an item of a source, which has no folder for a root, that of the file at its URI.
    static func absolutePath(_ root: String, _ path: WireName, _ uri: String?) -> [UInt8]? {
        if root.utf8.first != UInt8(ascii: "/") {
            return uri.flatMap { try? FileURI.path(of: $0.utf8Span.span) }
        }
        let folder = Array(root.utf8)
        let slash = UInt8(ascii: "/")
        return folder + (folder.last == slash ? [] : [slash]) + path.trueBytes
    }

    /// The item as one line of JSON, without the line's end.
    package var json: RawJSON {
        RawJSON(JSONFragment(writing: { record.write(to: &$0) }))
    }

    /// By key: equal items have equal keys.
    public func hash(into hasher: inout Hasher) { hasher.combine(record.key) }
}

extension ListItem {
    /// The row of a document.
    package init(_ document: RemoteDocument) {
        var record = ItemRecord(document.record)
        if let uri = document.uri, document.isOfSource { record.attributes["uri"] = .string(uri) }
        self.init(record)
    }
}

/// A document, in full.
public struct RemoteDocument: Hashable, Sendable {
    package let record: DocumentRecord

    package init(_ record: DocumentRecord) { self.record = record }

    /// The identity of the document across renames, moves and saves.
    public var key: String { record.key }
    /// The file's name, with U+FFFD for bytes that are not UTF-8.
    public var name: String { record.name.text }
    /// The bytes of a name that is not UTF-8; otherwise nil.
    package var nameBytes: [UInt8]? { record.name.bytes }
    /// The path relative to ``root``, with U+FFFD for bytes that are not UTF-8.
    public var path: String { record.path.text }
    /// The bytes of a path that is not UTF-8; otherwise nil.
    package var pathBytes: [UInt8]? { record.path.bytes }
    /// The absolute path of the watched folder.
    public var root: String { record.root }
    /// The size in bytes.
    public var size: Int64 { record.size }
    /// The time of the last change of content, in seconds since 1970.
    public var modified: Double { record.modified }
    /// The MIME type, derived from the name.
    public var type: String { record.type }
    /// Whether the document is liked.
    public var isLiked: Bool { record.liked }
    /// Whether the user dropped it, so that it is in no list but those that ask for such.
    public var isDropped: Bool { record.dropped }

    /// The URI of its absolute path: `file:///…`. Only of a document that was asked for by key or path, as are all below;
    /// nil from a daemon that does not send it yet.
    public var uri: String? { record.details.uri }
    /// The name of the icon of its type, which a theme may lack: then ``genericIcon`` is the one to show.
    public var icon: String? { record.details.icon }
    /// The name of the icon of types like its, such as `text-x-generic`.
    public var genericIcon: String? { record.details.genericIcon }
    /// When the file was made, in seconds since 1970; nil if the file system does not know.
    public var created: Double? { record.details.created }
    /// The absolute path of an image that shows the document as it was when it was asked for; nil if there is none.
    public var thumbnail: String? { record.details.thumbnail }

    /// The document as one line of JSON, without the line's end.
    package var json: RawJSON { RawJSON(JSONFragment(writing: { record.write(to: &$0) })) }

    /// Whether it is an item of a plugin's source: its ``root`` is the name of a collection, and no folder.
    package var isOfSource: Bool { record.root.utf8.first != UInt8(ascii: "/") }

    /// The absolute path, as the file system has it; empty for an item of a plugin's source that is no file here.
    public var absolutePathBytes: [UInt8] {
        ListItem.absolutePath(record.root, record.path, uri) ?? []
    }
}
