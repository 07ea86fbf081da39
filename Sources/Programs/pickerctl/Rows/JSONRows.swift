import JSONText
import PickerClient
import TerminalCells

// JSON for programs: as the daemon sends it, with each document's absolute path, and with JSON escapes for
// control characters of terminals, which programs decode to the same text.

/// A document as one line of JSON.
enum JSONRows {
    static func text(_ item: ListItem) -> String { text(item.json.text, item) }

    static func text(_ document: RemoteDocument) -> String {
        text(document.json.text, ListItem(document))
    }

    private static func text(_ json: String, _ item: ListItem) -> String {
        guard let path = absolutePath(of: item) else { return json }
        return json.dropLast() + ",\"absolutePath\":\(quoted(path))}"
    }

    /// A text as JSON.
    static func quoted(_ text: String) -> String {
        String(decoding: JSONValue.string(text).bytes, as: UTF8.self)
    }

    /// U+FFFD stands for bytes that are not UTF-8.
    static func absolutePath(of item: ListItem) -> String? {
        item.absolutePathBytes.map { String(decoding: $0, as: UTF8.self) }
    }
}

extension Output {
    /// A line of JSON, with control characters of terminals escaped.
    func writeJSON(_ text: String) throws(OutputError) {
        try writeLine(VisibleText.escaped(json: text))
    }
}
