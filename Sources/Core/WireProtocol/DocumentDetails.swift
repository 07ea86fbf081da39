internal import JSONText

/// What is told of one document at a time, because rows of lists have no use for it, or the disk is asked for it.
package struct DocumentDetails: Hashable, Sendable {
    /// The URI of its absolute path.
    package var uri: String?
    /// The name of the icon of its type.
    package var icon: String?
    /// The name of the icon of types like its.
    package var genericIcon: String?
    /// When the file was made, in seconds since 1970 UTC.
    package var created: Double?
    /// The absolute path of a thumbnail that shows it as it is.
    package var thumbnail: String?

    package init(
        uri: String? = nil, icon: String? = nil, genericIcon: String? = nil,
        created: Double? = nil, thumbnail: String? = nil
    ) {
        self.uri = uri
        self.icon = icon
        self.genericIcon = genericIcon
        self.created = created
        self.thumbnail = thumbnail
    }

    /// Reads the members of a document.
    package init(reading reader: ParameterReader) throws(ProtocolError) {
        uri = try reader.optionalString("uri")
        icon = try reader.optionalString("icon")
        genericIcon = try reader.optionalString("genericIcon")
        created = try reader.optionalDouble("created")
        thumbnail = try reader.optionalString("thumbnail")
    }

    /// Writes the members into the object of a document.
    func writeMembers(to writer: inout JSONWriter) {
        if let uri { writer.member("uri", uri) }
        if let icon { writer.member("icon", icon) }
        if let genericIcon { writer.member("genericIcon", genericIcon) }
        if let created { writer.member("created", created) }
        if let thumbnail { writer.member("thumbnail", thumbnail) }
    }
}
