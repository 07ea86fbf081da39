/// A program of the desktop, and its arguments. A file is named by its URI, which is ASCII, begins with `file:`, and has
/// neither spaces nor quotes nor `$`: no name of a file is an option, or more than one word.
struct DesktopProgram {
    let name: String
    let arguments: [String]
    /// For the name of its unit, and for messages.
    let purpose: String

    /// Opens a file with the default application of its type.
    static func open(_ uri: String) -> Self {
        Self(name: "gio", arguments: ["open", escaped(uri)], purpose: "open")
    }

    /// Moves a file to the trash.
    static func trash(_ uri: String) -> Self {
        Self(name: "gio", arguments: ["trash", escaped(uri)], purpose: "trash")
    }

    /// Shows files in the file manager.
    static func reveal(_ uris: [String]) -> Self {
        let list = uris.map { "'\(escaped($0))'" }.joined(separator: ",")
        return Self(
            name: "gdbus",
            arguments: [
                "call", "--session", "--timeout", "20", "--dest", "org.freedesktop.FileManager1",
                "--object-path", "/org/freedesktop/FileManager1", "--method",
                "org.freedesktop.FileManager1.ShowItems", "[\(list)]", "",
            ], purpose: "reveal")
    }

    /// The same URI without `$`, which the service manager would expand, and without quotes.
    private static func escaped(_ uri: String) -> String {
        var text = ""
        for character in uri.unicodeScalars {
            switch character {
            case "$": text += "%24"
            case "'": text += "%27"
            default: text.unicodeScalars.append(character)
            }
        }
        return text
    }
}
