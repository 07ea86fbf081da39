// Facts about texts: the first line, the number of words and the language of plain text and Markdown; the pages and
// the title of PDF, which poppler's pdfinfo reads.

internal import PickerPlugin

@main struct TextFacts: PluginProgram {
    /// The words of a longer file are not counted.
    private static let mostBytes = 4 << 20
    /// What the first line and the language are read from.
    private static let startBytes = 64 << 10

    static let groups = [
        Group("text") { file, want in
            let limit = want.contains("text.words") ? mostBytes + 1 : startBytes
            let bytes = try file.read(upTo: limit)
            guard let text = PlainText(bytes, isMarkdown: isMarkdown(file)) else { return .none }
            return [
                "text.first-line": text.firstLine,
                "text.words": bytes.count <= mostBytes ? text.wordCount : nil,
                "text.language": want.contains("text.language") ? text.language : nil,
            ]
        },
        Group("pdf") { file in try DocumentInformation.read(file) },
    ]

    private static func isMarkdown(_ file: DocumentFile) -> Bool {
        file.type == "text/markdown" || file.name.hasSuffix(".md")
            || file.name.hasSuffix(".markdown")
    }
}
