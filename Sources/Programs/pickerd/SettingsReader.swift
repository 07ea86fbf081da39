internal import FileRules
internal import PickerModel
internal import ServiceManager
internal import TOMLKit

/// Validates the values of a settings file, and finds the lines of faults.
struct SettingsReader {
    let file: String
    let text: String
    /// Which of several sections of one name is read.
    private var element = 0

    init(file: String, text: String) {
        self.file = file
        self.text = text
    }

    func error(_ key: String, in section: String?, _ reason: String) -> SettingsError {
        SettingsError(file: file, line: line(of: key, in: section), reason: "'\(key)' \(reason)")
    }

    func unknown(_ key: String, in section: String?, known: String) -> SettingsError {
        let place = section.map { " in [\($0)]" } ?? ""
        return error(key, in: section, "is not a setting\(place): there are \(known)")
    }

    func table(
        _ value: any TOMLValueConvertible, _ key: String
    ) throws(SettingsError) -> TOMLTable {
        guard let table = value.table else {
            throw error(key, in: nil, "must be a section: write [\(key)] on a line of its own")
        }
        return table
    }

    func int(
        _ value: any TOMLValueConvertible, _ key: String, in section: String,
        _ range: ClosedRange<Int>
    ) throws(SettingsError) -> Int {
        let wanted = "must be a whole number from \(range.lowerBound) to \(range.upperBound)"
        guard let number = value.int else { throw error(key, in: section, wanted) }
        guard range.contains(number) else {
            throw error(key, in: section, "is \(number): it \(wanted)")
        }
        return number
    }

    func bool(
        _ value: any TOMLValueConvertible, _ key: String, in section: String?
    ) throws(SettingsError) -> Bool {
        guard let value = value.bool else {
            throw error(key, in: section, "must be true or false, without quotes")
        }
        return value
    }

    func level(_ value: any TOMLValueConvertible) throws(SettingsError) -> LogLevel {
        guard let name = value.string, let level = LogLevel(name: name) else {
            throw error("log-level", in: nil, "must be one of \(LogLevel.names), in quotes")
        }
        return level
    }

    /// Folders, by name or as tables that have rules of their own.
    func roots(
        _ value: any TOMLValueConvertible, home: String?
    ) throws(SettingsError) -> [RootSettings] {
        let wanted = "must be a list of folders, such as [\"~/Documents\"], or [[roots]] sections"
        guard let array = value.array, !array.isEmpty else {
            throw error("roots", in: nil, wanted)
        }
        if array.count > Settings.mostRoots {
            throw error(
                "roots", in: nil, "has \(array.count) folders: \(Settings.mostRoots) are the most")
        }
        var roots: [RootSettings] = []
        for (index, element) in array.enumerated() {
            if let table = element.table {
                var reader = self
                reader.element = index
                roots.append(try reader.root(table, home: home))
            } else if let folder = element.string, !folder.isEmpty {
                roots.append(RootSettings(path: try self.folder(folder, home: home)))
            } else {
                throw error("roots", in: nil, wanted)
            }
        }
        return roots
    }

    private func folder(_ text: String, home: String?) throws(SettingsError) -> FileName {
        do throws(FolderError) {
            return try absoluteFolder(FileName(text), home: home, current: nil)
        } catch {
            throw self.error("roots", in: nil, "holds \(error.reason)")
        }
    }

    private func root(
        _ table: TOMLTable, home: String?
    ) throws(SettingsError) -> RootSettings {
        guard let path = table["path"]?.string, !path.isEmpty else {
            throw error(
                "roots", in: "roots",
                "has a section without its folder: write path = \"~/Documents\" in each [[roots]]")
        }
        var root = RootSettings(path: try folder(path, home: home))
        for key in table.keys.sorted() where key != "path" {
            guard let value = table[key] else { continue }
            if try !read(value, key, in: "roots", to: &root.rules) {
                throw unknown(key, in: "roots", known: "path, \(RuleSettings.names)")
            }
        }
        return root
    }

    /// Reads a setting that says what counts as a document.
    /// - Returns: whether it is one.
    func read(
        _ value: any TOMLValueConvertible, _ key: String, in section: String?,
        to rules: inout RuleSettings
    ) throws(SettingsError) -> Bool {
        switch key {
        case "hidden": rules.hidden = try hiddenFiles(value, in: section)
        case "ignore": rules.ignore = try patterns(value, in: section)
        case "gitignore": rules.readsIgnoreFiles = try bool(value, key, in: section)
        case "symlinks": rules.symlinks = try symbolicLinks(value, in: section)
        default: return false
        }
        return true
    }

    private func hiddenFiles(
        _ value: any TOMLValueConvertible, in section: String?
    ) throws(SettingsError) -> DocumentRules.HiddenFiles {
        guard let name = value.string, let found = DocumentRules.HiddenFiles(rawValue: name) else {
            throw error("hidden", in: section, "must be \"skip\" or \"keep\"")
        }
        return found
    }

    private func symbolicLinks(
        _ value: any TOMLValueConvertible, in section: String?
    ) throws(SettingsError) -> DocumentRules.SymbolicLinks {
        guard let name = value.string, let found = DocumentRules.SymbolicLinks(rawValue: name)
        else {
            throw error("symlinks", in: section, "must be \"ignore\", \"report\" or \"follow\"")
        }
        return found
    }

    /// The most patterns of one setting.
    private static let mostPatterns = 1000

    private func patterns(
        _ value: any TOMLValueConvertible, in section: String?
    ) throws(SettingsError) -> [String] {
        let wanted = "must be a list of patterns as in a .gitignore, such as [\"*.log\", \"/Old\"]"
        guard let array = value.array else { throw error("ignore", in: section, wanted) }
        if array.count > Self.mostPatterns {
            throw error(
                "ignore", in: section,
                "has \(array.count) patterns: \(Self.mostPatterns) are the most")
        }
        var patterns: [String] = []
        for element in array {
            guard let pattern = element.string else { throw error("ignore", in: section, wanted) }
            if let fault = IgnorePatterns.fault(in: pattern) {
                throw error("ignore", in: section, "holds '\(pattern)', which \(fault)")
            }
            patterns.append(pattern)
        }
        return patterns
    }

    /// The line of `key`: the first that begins with it, within its section.
    private func line(of key: String, in section: String?) -> Int? {
        var current: String?
        var headerLine: Int?
        var seen = 0
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let trimmed = line.drop { $0 == " " || $0 == "\t" }
            if trimmed.hasPrefix("[") {
                // One bracket before a section, two before an element of a list of sections.
                current = String(trimmed.drop { $0 == "[" }.prefix { $0 != "]" })
                if current == section { seen += 1 }
                if current == key, headerLine == nil || seen == element + 1 {
                    headerLine = index + 1
                }
                continue
            }
            let name = trimmed.prefix { $0 != "=" && $0 != " " && $0 != "\t" && $0 != "." }
            let bare = name.filter { $0 != "\"" && $0 != "'" }
            if current == section, bare == key, section == nil || seen == element + 1 {
                return index + 1
            }
            // A list within brackets has no sections.
            if current == nil, bare == section, headerLine == nil { headerLine = index + 1 }
        }
        return headerLine
    }
}
