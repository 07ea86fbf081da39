package import JSONText

/// A name of the file system: text, and the exact bytes if they are not UTF-8.
package struct WireName: Hashable, Sendable {
    /// U+FFFD replaces invalid bytes.
    package let text: String
    /// Nil if the text is exact.
    package let bytes: [UInt8]?

    package init(_ text: String) {
        self.text = text
        bytes = nil
    }

    package init(text: String, bytes: [UInt8]?) {
        self.text = text
        self.bytes = bytes
    }

    /// The exact bytes of the name.
    package var trueBytes: [UInt8] { bytes ?? Array(text.utf8) }

    /// By bytes, as the file system compares.
    package static func == (one: WireName, other: WireName) -> Bool {
        one.text.utf8.elementsEqual(other.text.utf8) && one.bytes == other.bytes
    }

    package func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}

/// A document on the wire.
package struct DocumentRecord: Hashable, Sendable {
    package var key: String
    package var name: WireName
    /// Relative to the root.
    package var path: WireName
    /// The root's absolute path.
    package var root: String
    package var size: Int64
    /// Seconds since 1970 UTC.
    package var modified: Double
    /// The MIME type derived from the name.
    package var type: String
    package var liked: Bool
    package var dropped: Bool
    /// Only in the answer to `documents.get`.
    package var details: DocumentDetails

    package init(
        key: String, name: WireName, path: WireName, root: String, size: Int64, modified: Double,
        type: String, liked: Bool = false, dropped: Bool = false,
        details: DocumentDetails = DocumentDetails()
    ) {
        self.key = key
        self.name = name
        self.path = path
        self.root = root
        self.size = size
        self.modified = modified
        self.type = type
        self.liked = liked
        self.dropped = dropped
        self.details = details
    }
}

extension DocumentRecord: WireWritable, WireReadable {
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("key", key)
        writer.member("name", name.text)
        writer.member("path", path.text)
        writer.member("root", root)
        writer.member("size", size)
        writer.member("modified", modified)
        writer.member("type", type)
        if let bytes = name.bytes { writer.member(base64: "nameB64", bytes) }
        if let bytes = path.bytes { writer.member(base64: "pathB64", bytes) }
        if liked { writer.member("liked", true) }
        if dropped { writer.member("dropped", true) }
        details.writeMembers(to: &writer)
        writer.endObject()
    }

    package init(reading reader: ParameterReader) throws(ProtocolError) {
        key = try reader.string("key")
        name = try WireName(
            text: reader.string("name"), bytes: reader.optionalBytes("nameB64"))
        path = try WireName(
            text: reader.string("path"), bytes: reader.optionalBytes("pathB64"))
        root = try reader.string("root")
        size = Int64(try reader.int("size"))
        modified = try reader.double("modified")
        type = try reader.string("type")
        liked = try reader.optionalBool("liked") ?? false
        dropped = try reader.optionalBool("dropped") ?? false
        details = try DocumentDetails(reading: reader)
    }
}

extension JSONWriter {
    package mutating func member(base64 name: StaticString, _ bytes: [UInt8]) {
        key(name)
        base64(bytes)
    }
}
