/// The members of items that a client wants; `kind` and `key` are always sent.
package struct ItemFields: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Includes `nameB64`.
    package static let name = Self(rawValue: 1 << 0)
    /// Includes `pathB64`.
    package static let path = Self(rawValue: 1 << 1)
    package static let root = Self(rawValue: 1 << 2)
    package static let size = Self(rawValue: 1 << 3)
    package static let modified = Self(rawValue: 1 << 4)
    package static let type = Self(rawValue: 1 << 5)
    package static let liked = Self(rawValue: 1 << 6)
    /// `m`, the positions in the name where the search matched.
    package static let matches = Self(rawValue: 1 << 7)
    /// The members that plugins contribute.
    package static let attributes = Self(rawValue: 1 << 8)

    package static let dropped = Self(rawValue: 1 << 9)
    /// `mf`, the positions in the folder where the search matched.
    package static let folderMatches = Self(rawValue: 1 << 10)

    package static let all = Self(rawValue: (1 << 11) - 1)

    private static let names: [(String, Self)] = [
        ("kind", []), ("key", []), ("name", .name), ("path", .path), ("root", .root),
        ("size", .size), ("modified", .modified), ("type", .type), ("liked", .liked),
        ("dropped", .dropped), ("m", .matches), ("mf", .folderMatches),
        ("attributes", .attributes), ("nameB64", .name), ("pathB64", .path),
    ]

    /// - Throws: invalidParams at the first unknown name.
    package init(
        names: [String], at path: String = "fields", firstIndex: Int = 0
    ) throws(ProtocolError) {
        self = []
        for (index, name) in zip(firstIndex..., names) {
            guard let field = Self.names.first(where: { $0.0 == name })?.1 else {
                let known = Self.names.prefix(13).map(\.0).joined(separator: ", ")
                throw .invalidParams(
                    at: "\(path)[\(index)]",
                    "unknown field \(ProtocolError.quoted(name)); the fields are \(known)")
            }
            formUnion(field)
        }
    }
}
