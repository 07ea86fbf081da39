internal import PickerModel
internal import PickerService
internal import PluginInterface
internal import TOMLKit

/// The settings file, read: what it sets, each value checked.
///
/// A setting that is wrong does not count, as if it were not there, and is one of the `faults`; the others
/// count. A file that is no TOML sets nothing. A key that is not known is a fault, since it is most often a
/// misspelt one. A fault names the file, the line, the key, and what would be right.
struct SettingsFile {
    var roots: [FileName]?
    var logLevel: Report.Level?
    var clients: Int?
    var queueSoft: Int?
    var queueHard: Int?
    /// What the sections of plugins say, by their identifiers.
    var plugins: [String: SettingValues] = [:]
    /// What is wrong, in the order of the lines; the first `mostFaults` of it.
    private(set) var faults: [SettingsError] = []

    /// The most faults that are told; whoever has mended these is told of the rest.
    static let mostFaults = 8

    /// The settings of no file at all.
    init() {}

    /// The settings of a file that can't be read.
    init(fault: SettingsError) {
        faults = [fault]
    }

    /// The settings in `text`, which was read from `file`; `home` stands for `~`. What may be set of `plugins`,
    /// these say.
    init(parsing text: String, file: String, home: String?, for plugins: [PluginManifest]) {
        if let line = lineOfNUL(inTOML: text) {
            faults = [
                SettingsError(
                    file: file, line: line,
                    reason: "here is a NUL byte, or its escape \\u0000: no setting holds one. "
                        + "Nothing in this file counts before it is taken out")
            ]
            return
        }
        let table: TOMLTable
        do {
            table = try TOMLTable(string: text)
        } catch let error as TOMLParseError {
            faults = [SettingsError(error, in: text, file: file, for: plugins)]
            return
        } catch {
            faults = [SettingsError(file: file, line: nil, reason: "\(error)")]
            return
        }
        let reader = SettingsReader(file: file, text: text)
        readEach(of: table) { (settings, key, value) throws(SettingsError) in
            switch key {
            case "roots": settings.roots = try reader.folders(value, home: home)
            case "log-level": settings.logLevel = try reader.level(value)
            case "limits": settings.readLimits(try reader.table(value, key), reader)
            case "plugins":
                settings.readPlugins(try reader.table(value, key), of: plugins, reader)
            default:
                if plugins.contains(where: { $0.identifier == key }) {
                    throw reader.error(
                        key, in: nil, "is a plugin: write its settings in [plugins.\(key)]")
                }
                throw reader.unknown(
                    key, in: nil, known: "roots, log-level, [limits], [plugins.NAME]")
            }
        }
        checkQueues(reader)
        faults.sort { ($0.line ?? 0) < ($1.line ?? 0) }
    }

    /// The limits of a queue must be in order, also where one of them is left to its default.
    private mutating func checkQueues(_ reader: SettingsReader) {
        let usual = ServiceLimits()
        let soft = queueSoft ?? usual.queueSoft
        let hard = queueHard ?? usual.queueHard
        guard soft > hard else { return }
        if queueSoft == nil {
            note(
                reader.error(
                    "queue-hard", in: "limits",
                    "is \(hard), below queue-soft, which is \(soft) where it is not set: "
                        + "set queue-soft as well, to \(hard) at most"))
        } else {
            let unset = queueHard == nil ? " where it is not set" : ""
            note(
                reader.error(
                    "queue-soft", in: "limits",
                    "is \(soft), above queue-hard, which is \(hard)\(unset): it must be at "
                        + "most that"))
        }
        queueSoft = nil
        queueHard = nil
    }

    private mutating func readLimits(_ table: TOMLTable, _ reader: SettingsReader) {
        readEach(of: table) { (settings, key, value) throws(SettingsError) in
            switch key {
            case "clients":
                settings.clients = try reader.int(value, key, in: "limits", 1...100_000)
            case "queue-soft":
                settings.queueSoft = try reader.int(value, key, in: "limits", 4096...(1 << 30))
            case "queue-hard":
                settings.queueHard = try reader.int(value, key, in: "limits", 4096...(1 << 30))
            default:
                throw reader.unknown(key, in: "limits", known: "clients, queue-soft, queue-hard")
            }
        }
    }

    private mutating func readPlugins(
        _ table: TOMLTable, of plugins: [PluginManifest], _ reader: SettingsReader
    ) {
        readEach(of: table) { (settings, key, value) throws(SettingsError) in
            guard let plugin = plugins.first(where: { $0.identifier == key }) else {
                let known = plugins.map(\.identifier).joined(separator: ", ")
                throw reader.error(key, in: "plugins", "is no plugin: there are \(known)")
            }
            let section = "plugins.\(key)"
            settings.read(try reader.table(value, section), section, of: plugin, reader)
        }
    }

    /// One plugin's section, checked against what the plugin says of its settings.
    private mutating func read(
        _ table: TOMLTable, _ section: String, of plugin: PluginManifest, _ reader: SettingsReader
    ) {
        readEach(of: table) { (settings, key, value) throws(SettingsError) in
            guard let setting = plugin.allSettings.first(where: { $0.name == key }) else {
                let names = plugin.allSettings.map(\.name)
                throw reader.unknown(
                    key, in: section, known: names.isEmpty ? "none" : names.joined(separator: ", "))
            }
            let new: SettingValue =
                switch setting.kind {
                case .integer(let range):
                    .integer(try reader.int(value, key, in: section, range))
                case .boolean: .boolean(try reader.bool(value, key, in: section))
                }
            settings.plugins[plugin.identifier, default: [:]].set(setting, to: new)
        }
    }

    /// Has each member read by `read`; one that it refuses is noted. After too many, no more is read: each
    /// has its line looked for, through all of the file.
    private mutating func readEach(
        of table: TOMLTable,
        _ read: (inout SettingsFile, String, any TOMLValueConvertible) throws(SettingsError) -> Void
    ) {
        for key in table.keys.sorted() {
            guard faults.count < Self.mostFaults, let value = table[key] else { continue }
            do throws(SettingsError) {
                try read(&self, key, value)
            } catch {
                note(error)
            }
        }
    }

    private mutating func note(_ fault: SettingsError) {
        if faults.count < Self.mostFaults { faults.append(fault) }
    }
}
