internal import MediaTypes
internal import PickerPlugin

/// What a thumbnail says of its file.
struct ShownFile {
    let uri: String
    /// When it was modified, in whole seconds since 1970.
    let modified: Int64
    let size: UInt64
    let type: String

    /// Nil for a file without a type, or that was not opened.
    init?(_ file: DocumentFile) {
        let path = file.pathBytes
        guard let type = file.type, let modified = file.modifiedSeconds,
            let size = file.openedSize, let uri = FileURI.text(ofPath: path.span)
        else { return nil }
        self.uri = uri
        self.modified = modified
        self.size = size
        self.type = type
    }

    /// The name of its thumbnail.
    var name: String { MD5.text(of: uri.utf8Span.span) + ".png" }

    /// The texts of its thumbnail.
    var texts: [(key: String, text: String)] {
        [
            ("Thumb::URI", uri), ("Thumb::MTime", String(modified)), ("Thumb::Size", String(size)),
            ("Thumb::Mimetype", type), ("Software", "pickerd"),
        ]
    }
}
