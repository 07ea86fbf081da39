package import JSONText

// A list item on the wire. A client may request only some fields, so all but kind and key may be missing. Nil
// means "not sent"; for `liked`, `dropped` and both matches also "false". Members added by plugins are in
// `attributes`, in their order.

/// A row of a picker: "new", or a document.
package struct ItemRecord: Sendable, Equatable {
    package enum Kind: String, Hashable, Sendable {
        case new, document
    }

    package var kind: Kind
    package var key: String
    package var name: WireName?
    package var path: WireName?
    package var root: String?
    package var size: Int64?
    package var modified: Double?
    package var type: String?
    package var liked = false
    package var dropped = false
    /// The start and the end of each part of the name that the search has found, in the agreed units.
    package var matches: [Int]?
    /// The same of the path up to its last `/`; nil if nothing is found there.
    package var folderMatches: [Int]?
    package var attributes: JSONObject = [:]

    /// The row that offers a new document.
    package static let new = ItemRecord(kind: .new, key: "new")

    package init(kind: Kind, key: String) {
        self.kind = kind
        self.key = key
    }

    package init(_ document: DocumentRecord, liked: Bool = false, matches: [Int]? = nil) {
        kind = .document
        key = document.key
        name = document.name
        path = document.path
        root = document.root
        size = document.size
        modified = document.modified
        type = document.type
        self.liked = liked || document.liked
        dropped = document.dropped
        self.matches = matches
    }

    /// The document, if the item is one with all fields.
    package var document: DocumentRecord? {
        guard kind == .document, let name, let path, let root, let size, let modified, let type
        else { return nil }
        return DocumentRecord(
            key: key, name: name, path: path, root: root, size: size, modified: modified,
            type: type, liked: liked, dropped: dropped)
    }
}

extension ItemRecord: WireWritable, WireReadable {
    package func write(to writer: inout JSONWriter) { write(to: &writer, fields: .all) }

    package func write(to writer: inout JSONWriter, fields: ItemFields) {
        writer.beginObject()
        writer.member("kind", kind == .new ? "new" : "document")
        writer.member("key", key)
        if let name, fields.contains(.name) { writer.member("name", name.text) }
        if let path, fields.contains(.path) { writer.member("path", path.text) }
        if let root, fields.contains(.root) { writer.member("root", root) }
        if let size, fields.contains(.size) { writer.member("size", size) }
        if let modified, fields.contains(.modified) { writer.member("modified", modified) }
        if let type, fields.contains(.type) { writer.member("type", type) }
        if let bytes = name?.bytes, fields.contains(.name) {
            writer.member(base64: "nameB64", bytes)
        }
        if let bytes = path?.bytes, fields.contains(.path) {
            writer.member(base64: "pathB64", bytes)
        }
        if liked, fields.contains(.liked) { writer.member("liked", true) }
        if dropped, fields.contains(.dropped) { writer.member("dropped", true) }
        if let matches, fields.contains(.matches) {
            writer.member(array: "m") { array in
                for match in matches { array.integer(match) }
            }
        }
        if let folderMatches, fields.contains(.folderMatches) {
            writer.member(array: "mf") { array in
                for match in folderMatches { array.integer(match) }
            }
        }
        if fields.contains(.attributes) {
            for member in attributes.members {
                writer.key(escaping: member.key)
                writer.value(member.value)
            }
        }
        writer.endObject()
    }

    package init(reading reader: ParameterReader) throws(ProtocolError) {
        guard let text = try reader.optionalChoice("kind", among: ["new", "document"]),
            let kind = Kind(rawValue: text)
        else { throw reader.invalid("kind", mustBe: "\"new\" or \"document\"") }
        self.kind = kind
        key = try reader.string("key")
        name = try Self.name(reader, "name", "nameB64")
        path = try Self.name(reader, "path", "pathB64")
        root = try reader.optionalString("root")
        size = try reader.optionalInt("size").map { Int64($0) }
        modified = try reader.optionalDouble("modified")
        type = try reader.optionalString("type")
        liked = try reader.optionalBool("liked") ?? false
        dropped = try reader.optionalBool("dropped") ?? false
        matches = try reader.optionalInts("m")
        folderMatches = try reader.optionalInts("mf")
        if let fault = faultOfMatches { throw reader.invalid(fault.member, mustBe: fault.right) }
        guard reader.count > 2 else { return }
        for name in reader.keys where !Self.knownKeys.contains(name) {
            attributes[name] = try reader.optionalValue(name)
        }
    }

    /// The member with matches that are no pairs of ascending positions in the name or in the folder, if that is
    /// known, and what they must be. No unit counts more positions in a text than bytes of UTF-8.
    /// - Complexity: O(n).
    var faultOfMatches: (member: String, right: String)? {
        if !Self.areSound(matches, upTo: name?.text.utf8.count) {
            return ("m", "pairs of ascending positions in the name")
        }
        if !Self.areSound(folderMatches, upTo: path.map { Self.lengthOfFolder(in: $0.text) }) {
            return ("mf", "pairs of ascending positions in the path up to its last '/'")
        }
        return nil
    }

    private static func lengthOfFolder(in path: String) -> Int {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        return slash.map { path.utf8[...$0].count } ?? 0
    }

    private static func areSound(_ matches: [Int]?, upTo end: @autoclosure () -> Int?) -> Bool {
        guard let matches, let first = matches.first, let last = matches.last else { return true }
        guard matches.count.isMultiple(of: 2), first >= 0,
            zip(matches, matches.dropFirst()).allSatisfy({ $0 <= $1 })
        else { return false }
        return last <= end() ?? .max
    }

    static let knownKeys: Set<String> = [
        "kind", "key", "name", "path", "root", "size", "modified", "type", "nameB64", "pathB64",
        "liked", "dropped", "m", "mf",
    ]

    private static func name(
        _ reader: ParameterReader, _ key: String, _ bytesKey: String
    ) throws(ProtocolError) -> WireName? {
        guard let text = try reader.optionalString(key) else { return nil }
        return WireName(text: text, bytes: try reader.optionalBytes(bytesKey))
    }
}
