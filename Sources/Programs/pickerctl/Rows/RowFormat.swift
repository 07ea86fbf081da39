package import PickerClient
internal import TerminalCells

// Rows for programs: a line of a document's members, with the original bytes of names.
//
// In a format, `{name}` stands for that member, `{{` and `}}` for a brace, and `\t`, `\n` and `\\` for a
// tab, a newline and a backslash. All other text is literal.

/// The format of rows for programs.
package struct RowFormat {
    package enum Field: String, CaseIterable {
        case key, name, path, root, absolutePath, size, modified, type, liked, dropped
    }

    private enum Part {
        case text([UInt8])
        case field(Field)
        case attribute(String)
    }

    private var parts: [Part] = []
    /// The end of each row: a newline or NUL.
    let end: UInt8

    /// Absolute paths.
    package init(pathsEndingWith end: UInt8) {
        parts = [.field(.absolutePath)]
        self.end = end
    }

    /// - Throws: an error in the format, for the user.
    package init(_ format: String, endingWith end: UInt8) throws(CommandError) {
        self.end = end
        var text: [UInt8] = []
        var rest = Array(format.unicodeScalars)[...]
        func next(_ scalar: Unicode.Scalar) -> Bool { rest.first == scalar }
        while let scalar = rest.popFirst() {
            switch scalar {
            case "{" where next("{"), "}" where next("}"):
                text += Array(String(rest.removeFirst()).utf8)
            case "{":
                guard let close = rest.firstIndex(of: "}") else {
                    throw CommandError("'{' is not closed; '{{' stands for a brace")
                }
                var name = String.UnicodeScalarView()
                name.append(contentsOf: rest[..<close])
                parts.append(.text(text))
                // The daemon knows the attributes.
                if Self.isAttribute(String(name)) {
                    parts.append(.attribute(String(name)))
                } else {
                    parts.append(.field(try Self.field(String(name))))
                }
                text = []
                rest = rest[(close + 1)...]
            case "\\" where next("n") || next("t") || next("\\"):
                let escaped = rest.removeFirst()
                text.append(UInt8(ascii: escaped == "n" ? "\n" : escaped == "t" ? "\t" : "\\"))
            default: text += Array(String(scalar).utf8)
            }
        }
        parts.append(.text(text))
    }

    /// Attributes have a dot in their names, but for two of the daemon's own.
    private static func isAttribute(_ name: String) -> Bool {
        name.contains(".") || ["uri", "frecency"].contains(name)
    }

    private static func field(_ name: String) throws(CommandError) -> Field {
        if let field = Field(rawValue: name) { return field }
        let known = Field.allCases.map(\.rawValue)
        throw CommandError(
            "there is no member '{\(name)}'; there are "
                + known.map { "{\($0)}" }.joined(separator: " ") + ", and attributes: {image.width}"
        )
    }

    /// What is sent of documents.
    static let members = ["name", "path", "root", "size", "modified", "type", "liked", "dropped"]

    /// Whether attributes are among the fields of a list, rather than members of documents.
    static func showsAttributes(_ fields: [String]?) -> Bool {
        fields?.contains { isAttribute($0) } ?? false
    }

    /// The members that a list must have for it; nil for those that it has anyway.
    var fields: [String]? {
        let attributes = parts.compactMap { part in
            if case .attribute(let name) = part { name } else { nil }
        }
        if attributes.isEmpty { return nil }
        return Self.members + Set(attributes).sorted()
    }

    /// The row, without its terminator.
    package func bytes(of item: ListItem) -> [UInt8] {
        parts.flatMap { part in
            switch part {
            case .text(let text): text
            case .field(let field): Self.bytes(of: field, in: item)
            case .attribute(let name):
                Array((item.attributeTexts.first { $0.name == name }?.text ?? "").utf8)
            }
        }
    }

    private static func bytes(of field: Field, in item: ListItem) -> [UInt8] {
        switch field {
        case .key: Array(item.key.utf8)
        case .name: item.nameBytes ?? Array((item.name ?? "").utf8)
        case .path: item.pathBytes ?? Array((item.path ?? "").utf8)
        case .root: Array((item.root ?? "").utf8)
        case .absolutePath: item.absolutePathBytes ?? Array((item.uri ?? "").utf8)
        case .size: Array((item.size.map { "\($0)" } ?? "").utf8)
        case .modified: Array((item.modified.map(seconds) ?? "").utf8)
        case .type: Array((item.type ?? "").utf8)
        case .liked: Array("\(item.isLiked)".utf8)
        case .dropped: Array("\(item.isDropped)".utf8)
        }
    }

    private static func seconds(_ time: Double) -> String {
        Int64(exactly: time).map { "\($0)" } ?? "\(time)"
    }
}

extension Output {
    /// A row and its terminator: unchanged for programs, made visible on a terminal.
    func write(_ item: ListItem, as format: RowFormat, after mark: String = "") throws(OutputError)
    {
        let bytes = format.bytes(of: item)
        try write(mark)
        if Terminal.output.isTerminal {
            let lines = String(decoding: bytes, as: UTF8.self)
                .split(separator: "\n", omittingEmptySubsequences: false)
            try writeLine(lines.map { VisibleText.escaping(String($0)) }.joined(separator: "\n"))
        } else {
            try write(bytes)
            try write(CollectionOfOne(format.end))
        }
    }
}
