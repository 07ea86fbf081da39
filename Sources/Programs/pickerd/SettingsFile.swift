internal import PickerService
internal import PluginInterface
internal import ServiceManager
internal import TOMLKit

/// The contents of the settings file, with validated values.
///
/// An invalid setting is ignored and recorded in `faults`; the others apply. A file that is not TOML sets
/// nothing. An unknown key is a fault, because it is usually misspelt. A fault names the file, the line,
/// the key, and what would be valid.
struct SettingsFile {
    var roots: [RootSettings]?
    /// What counts as a document below all roots.
    var rules = RuleSettings()
    var logLevel: LogLevel?
    var clients: Int?
    var queueSoft: Int?
    var queueHard: Int?
    /// The settings of plugins, by their identifiers.
    var plugins: [String: SettingValues] = [:]
    /// The faults in the order of their lines, `mostFaults` at most.
    private(set) var faults: [SettingsError] = []
    /// Whether there is a file, and it could be read.
    private(set) var isRead = false

    /// The most faults that are reported; further ones are reported once these are corrected.
    static let mostFaults = 8

    /// The settings without a file.
    init() {}

    /// The settings of an unreadable file.
    init(fault: SettingsError) {
        faults = [fault]
    }

    /// Reads the settings in `text`, the contents of `file`; `home` replaces `~`. `plugins` define their
    /// own settings.
    init(parsing text: String, file: String, home: String?, for plugins: [PluginManifest]) {
        isRead = true
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
            case "roots": settings.roots = try reader.roots(value, home: home)
            case "log-level": settings.logLevel = try reader.level(value)
            case "limits": settings.readLimits(try reader.table(value, key), reader)
            case "plugins":
                settings.readPlugins(try reader.table(value, key), of: plugins, reader)
            default:
                if try reader.read(value, key, in: nil, to: &settings.rules) { return }
                if plugins.contains(where: { $0.identifier == key }) {
                    throw reader.error(
                        key, in: nil, "is a plugin: write its settings in [plugins.\(key)]")
                }
                throw reader.unknown(
                    key, in: nil,
                    known: "roots, \(RuleSettings.names), log-level, [limits], [plugins.NAME]")
            }
        }
        checkQueues(reader)
        faults.sort { ($0.line ?? 0) < ($1.line ?? 0) }
    }

    /// The limits of a queue must be in order, even if one of them is the default.
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

    /// A plugin's section, validated against the plugin's definitions.
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

    /// Passes each member to `read`, and records errors. After too many, no more are read: finding the line
    /// of each takes a scan of the whole file.
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
