/// An item of a ``Source``.
public struct SourceItem {
    /// What tells it from the others of its source: 1 to 1,024 bytes.
    public var id: String
    /// Its name, for people.
    public var name: String
    /// Where it is.
    public var uri: String?
    /// Its size in bytes.
    public var size: Int64?
    /// When it was changed, in seconds since 1970.
    public var modified: Double?
    /// Its MIME type.
    public var type: String?
    /// Its attributes: those of the manifest, and others by their names.
    public var attributes: [String: any AttributeConvertible]

    /// An item; what is nil is left out.
    public init(
        id: String, name: String, uri: String? = nil, size: Int64? = nil,
        modified: Double? = nil, type: String? = nil,
        attributes: [String: any AttributeConvertible] = [:]
    ) {
        self.id = id
        self.name = name
        self.uri = uri
        self.size = size
        self.modified = modified
        self.type = type
        self.attributes = attributes
    }
}
