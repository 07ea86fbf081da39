internal import PluginInterface
internal import TOMLKit

/// The settings file, read: what it sets, each value checked.
///
/// A key that is not known is an error, since it is most often a misspelt one. The message names the
/// file, the line, the key, and what would be right.
struct SettingsFile {
    var roots: [String]?
    var logLevel: Report.Level?
    var clients: Int?
    var queueSoft: Int?
    var queueHard: Int?
    var replayCount: Int?
    var replayBytes: Int?
    var storesEvents: Bool?

    /// The settings of no file at all.
    init() {}

    /// The settings in `text`, which was read from `file`; `home` stands for `~`.
    init(parsing text: String, file: String, home: String?) throws(SettingsError) {
        let table: TOMLTable
        do {
            table = try TOMLTable(string: text)
        } catch let error as TOMLParseError {
            throw SettingsError(
                file: file, line: error.source.begin.line, reason: error.description)
        } catch {
            throw SettingsError(file: file, line: nil, reason: "\(error)")
        }
        let reader = Reader(file: file, text: text)
        for key in table.keys.sorted() {
            guard let value = table[key] else { continue }
            switch key {
            case "roots": roots = try reader.folders(value, home: home)
            case "log-level": logLevel = try reader.level(value)
            case "limits": try readLimits(reader.table(value, key), reader)
            case "events": try readEvents(reader.table(value, key), reader)
            default:
                throw reader.unknown(key, in: nil, known: "roots, log-level, [limits], [events]")
            }
        }
        if let soft = queueSoft, let hard = queueHard, soft > hard {
            throw reader.error(
                "queue-soft", in: "limits",
                "is \(soft), above queue-hard, which is \(hard): it must be at most that")
        }
    }

    private mutating func readLimits(
        _ table: TOMLTable, _ reader: Reader
    ) throws(SettingsError) {
        for key in table.keys.sorted() {
            guard let value = table[key] else { continue }
            switch key {
            case "clients": clients = try reader.int(value, key, in: "limits", 1...100_000)
            case "queue-soft":
                queueSoft = try reader.int(value, key, in: "limits", 4096...(1 << 30))
            case "queue-hard":
                queueHard = try reader.int(value, key, in: "limits", 4096...(1 << 30))
            default:
                throw reader.unknown(key, in: "limits", known: "clients, queue-soft, queue-hard")
            }
        }
    }

    private mutating func readEvents(
        _ table: TOMLTable, _ reader: Reader
    ) throws(SettingsError) {
        for key in table.keys.sorted() {
            guard let value = table[key] else { continue }
            switch key {
            case "replay":
                replayCount = try reader.int(value, key, in: "events", 0...10_000_000)
            case "replay-bytes":
                replayBytes = try reader.int(value, key, in: "events", 0...(1 << 32))
            case "store": storesEvents = try reader.bool(value, key, in: "events")
            default:
                throw reader.unknown(key, in: "events", known: "replay, replay-bytes, store")
            }
        }
    }
}

/// Checks values, and finds the lines to blame.
private struct Reader {
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

    func level(_ value: any TOMLValueConvertible) throws(SettingsError) -> Report.Level {
        let names = Report.Level.named.map(\.name).joined(separator: ", ")
        guard let name = value.string, let level = Report.Level(named: name) else {
            throw error("log-level", in: nil, "must be one of \(names), in quotes")
        }
        return level
    }

    func folders(
        _ value: any TOMLValueConvertible, home: String?
    ) throws(SettingsError) -> [String] {
        let wanted = "must be a list of folders, such as [\"~/Documents\"]"
        guard let array = value.array, !array.isEmpty else {
            throw error("roots", in: nil, wanted)
        }
        var folders: [String] = []
        for element in array {
            guard let folder = element.string, !folder.isEmpty else {
                throw error("roots", in: nil, wanted)
            }
            do throws(FolderError) {
                folders.append(try absoluteFolder(folder, home: home, current: nil))
            } catch {
                throw self.error("roots", in: nil, error.reason)
            }
        }
        return folders
    }

    /// The line on which `key` is set: the first that begins with it, within its section.
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
