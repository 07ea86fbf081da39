internal import PickerPlugin

/// What poppler's pdfinfo tells of a PDF.
enum DocumentInformation {
    private static let program = "/usr/bin/pdfinfo"

    static func read(_ file: DocumentFile) throws -> Attributes {
        guard try file.read(upTo: 1024).contains(UInt8(ascii: "%")) else {
            throw PluginError("it is no PDF")
        }
        let tool = Tool(
            program, ["-enc", "UTF-8", Tool.file], environment: ["LC_ALL": "C.UTF-8"],
            limit: .seconds(5), mostOutput: 256 << 10)
        let outcome: Tool.Outcome
        do {
            outcome = try file.daemon.run(tool, on: file)
        } catch {
            guard error.code == .system else { throw error }
            throw PluginError("\(program): \(error.message); Debian has it in poppler-utils")
        }
        guard outcome.status == 0 else {
            let words =
                outcome.status < 0 ? "signal \(-outcome.status)" : "status \(outcome.status)"
            throw PluginError("pdfinfo can't read it (\(words))")
        }
        return attributes(String(decoding: outcome.output, as: UTF8.self))
    }

    /// The values in lines such as `Pages:           12`. A title may have several lines, and other names in these:
    /// the first of a name is taken as the title, and the last as the number of pages.
    private static func attributes(_ output: String) -> Attributes {
        var attributes = Attributes()
        for line in output.split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].split { $0.isWhitespace || $0.isNewline }
                .joined(separator: " ")
            switch line[..<colon] {
            case "Title" where attributes["document.title"] == nil && !value.isEmpty:
                attributes["document.title"] = value
            case "Pages": attributes["document.pages"] = Int(value)
            default: break
            }
        }
        return attributes
    }
}
