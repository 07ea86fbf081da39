internal import PickerModel
internal import ServiceManager
internal import TOMLKit

/// Validates the values of a settings file, and finds the lines of faults.
struct SettingsReader {
    let file: String
    let text: String

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
        _ value: any TOMLValueConvertible, _ key: String, in section: String
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

    func folders(
        _ value: any TOMLValueConvertible, home: String?
    ) throws(SettingsError) -> [FileName] {
        let wanted = "must be a list of folders, such as [\"~/Documents\"]"
        guard let array = value.array, !array.isEmpty else {
            throw error("roots", in: nil, wanted)
        }
        if array.count > Settings.mostRoots {
            throw error(
                "roots", in: nil, "has \(array.count) folders: \(Settings.mostRoots) are the most")
        }
        var folders: [FileName] = []
        for element in array {
            guard let folder = element.string, !folder.isEmpty else {
                throw error("roots", in: nil, wanted)
            }
            do throws(FolderError) {
                folders.append(try absoluteFolder(FileName(folder), home: home, current: nil))
            } catch {
                throw self.error("roots", in: nil, "holds \(error.reason)")
            }
        }
        return folders
    }

    /// The line of `key`: the first that begins with it, within its section.
    private func line(of key: String, in section: String?) -> Int? {
        var current: String?
        var headerLine: Int?
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let trimmed = line.drop { $0 == " " || $0 == "\t" }
            if trimmed.hasPrefix("[") {
                current = String(trimmed.dropFirst().prefix { $0 != "]" })
                if current == key { headerLine = index + 1 }
                continue
            }
            let name = trimmed.prefix { $0 != "=" && $0 != " " && $0 != "\t" && $0 != "." }
            let bare = name.filter { $0 != "\"" && $0 != "'" }
            if current == section, bare == key { return index + 1 }
        }
        return headerLine
    }
}
