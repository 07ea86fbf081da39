import MediaTypes

extension MediaTypeTable {
    /// A table of lists in order of precedence.
    init(_ lists: [String], fallback: String = "", aliases: String = "") {
        self.init(
            Files(globs: lists.map { Array($0.utf8) }, aliases: [Array(aliases.utf8)]),
            fallback: fallback)
    }

    func type(_ name: [UInt8]) -> String { texts[Int(index(forName: name.span))] }

    func type(_ name: String) -> String { type(Array(name.utf8)) }
}

let octets = "application/octet-stream"

// The macros of the tests take no spans.

extension MediaTypeTable {
    func index(_ name: String) -> UInt16 { index(forName: name.utf8Span.span) }
}

func uri(ofPath path: [UInt8]) -> String? { FileURI.text(ofPath: path.span) }

func path(ofURI uri: String) throws(FileURIError) -> [UInt8] {
    try FileURI.path(of: uri.utf8Span.span)
}

func digest(_ bytes: [UInt8]) -> String { MD5.text(of: bytes.span) }

func thumbnail(_ bytes: [UInt8]) -> ThumbnailFile? { ThumbnailFile(start: bytes.span) }
