internal import Glibc
internal import SystemInterface

/// The file in which the user says which plugins are on. It is the user's: a change sets one line of it, and leaves the
/// others as they are.
struct ChoicesFile {
    static let mostBytes = 1 << 20

    let path: String

    /// Sets a key in the section of a plugin, and puts the new file in place of the old one in one step.
    func set(_ key: String, to value: Bool, of plugin: String) throws(ChoicesFault) {
        let text = try read()
        let new = try Self.setting(key, to: value, of: plugin, in: text, path)
        do throws(SystemError) {
            // Of a link, the file behind it is replaced.
            let file = CurrentProcess.resolve(RawPath(path)) ?? RawPath(path)
            try OwnedDescriptor.makeFolders(file.folder)
            try PrivateFile.replace(file, with: Array(new.utf8))
        } catch {
            throw ChoicesFault("\(path) can't be written: \(error)")
        }
    }

    private func read() throws(ChoicesFault) -> String {
        let bytes: [UInt8]?
        do throws(SystemError) {
            bytes = try PrivateFile.contents(of: RawPath(path), limit: Self.mostBytes)
        } catch {
            throw ChoicesFault("\(path) can't be read: \(error)")
        }
        guard let bytes else { return "" }
        guard bytes.count <= Self.mostBytes, let text = String(validating: bytes, as: UTF8.self)
        else {
            throw ChoicesFault(
                "\(path) must be text in UTF-8, \(Self.mostBytes) bytes at most")
        }
        return text
    }

    /// The text with that line set.
    static func setting(
        _ key: String, to value: Bool, of plugin: String, in text: String, _ path: String
    ) throws(ChoicesFault) -> String {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
        let line = "\(key) = \(value)"
        var section: [String]? = []
        var header: Int?
        for (index, text) in lines.enumerated() {
            if text.contains("\"\"\"") || text.contains("'''") {
                throw ChoicesFault(
                    "\(path):\(index + 1) has a text of several lines, which is not changed from here: "
                        + "write '\(line)' into its section [\(plugin)]")
            }
            let bare = text.prefix { $0 != "#" }.filter { $0 != " " && $0 != "\t" && $0 != "\r" }
            if bare.hasPrefix("[") {
                section =
                    bare.hasPrefix("[[") ? nil : Self.keys(bare.dropFirst().prefix { $0 != "]" })
                if section == [plugin] { header = index }
                continue
            }
            guard let section, let sign = bare.firstIndex(of: "=") else { continue }
            let named = section + Self.keys(bare[..<sign])
            if named == [plugin, key], section == [plugin] {
                let comment = text.firstIndex(of: "#").map { " " + text[$0...] } ?? ""
                lines[index] = line + comment
                return lines.joined(separator: "\n")
            }
            if named == [plugin] || (named.starts(with: [plugin]) && section.isEmpty) {
                throw ChoicesFault(
                    "\(path):\(index + 1) sets the plugin without a section of its own, which is not "
                        + "changed from here: write [\(plugin)] and below it '\(line)'")
            }
        }
        if let header {
            lines.insert(line, at: header + 1)
            return lines.joined(separator: "\n")
        }
        let start = text.isEmpty ? "" : text.hasSuffix("\n") ? text + "\n" : text + "\n\n"
        return start + "[\(plugin)]\n\(line)\n"
    }

    /// The parts of a dotted key, without quotes.
    private static func keys(_ text: some StringProtocol) -> [String] {
        text.split(separator: ".").map { part in
            String(part.filter { $0 != "\"" && $0 != "'" })
        }
    }
}

/// Why the file can't be changed.
struct ChoicesFault: Error {
    let message: String

    init(_ message: String) { self.message = message }
}
