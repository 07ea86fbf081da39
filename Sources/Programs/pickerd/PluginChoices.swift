internal import JSONText
internal import PluginInterface
internal import TOMLKit

/// The contents of `plugins.toml`: for each plugin that is a process, whether it is on, and its own settings.
///
/// It is a file apart from the settings because the daemon changes it, when a plugin is switched on or off. A section
/// that is not valid sets nothing.
struct PluginChoices {
    private(set) var choices: [String: ProcessSettings.Choice] = [:]
    private(set) var faults: [SettingsError] = []

    private static let known = "enabled, config, background"
    /// How deep the settings of a plugin may be nested.
    private static let mostDepth = 16

    init() {}

    init(fault: SettingsError) { faults = [fault] }

    init(parsing text: String, file: String) {
        if let line = lineOfNUL(inTOML: text) {
            faults = [
                SettingsError(
                    file: file, line: line,
                    reason: "here is a NUL byte, or its escape \\u0000: no setting holds one")
            ]
            return
        }
        let table: TOMLTable
        do {
            table = try TOMLTable(string: text)
        } catch let error as TOMLParseError {
            faults = [SettingsError(error, in: text, file: file, for: [])]
            return
        } catch {
            faults = [SettingsError(file: file, line: nil, reason: "\(error)")]
            return
        }
        let reader = SettingsReader(file: file, text: text)
        for id in table.keys.sorted() where faults.count < SettingsFile.mostFaults {
            guard let value = table[id] else { continue }
            do throws(SettingsError) {
                choices[id] = try Self.choice(try reader.table(value, id), id, reader)
            } catch {
                faults.append(error)
            }
        }
        faults.sort { ($0.line ?? 0) < ($1.line ?? 0) }
    }

    private static func choice(
        _ table: TOMLTable, _ id: String, _ reader: SettingsReader
    ) throws(SettingsError) -> ProcessSettings.Choice {
        var choice = ProcessSettings.Choice()
        for key in table.keys.sorted() {
            guard let value = table[key] else { continue }
            switch key {
            case "enabled": choice.isEnabled = try reader.bool(value, key, in: id)
            case "background": choice.worksInBackground = try reader.bool(value, key, in: id)
            case "config":
                guard value.table != nil, let json = json(value, depth: 0) else {
                    throw reader.error(
                        key, in: id,
                        "must be a section of texts, numbers, true or false, lists and sections, "
                            + "\(mostDepth) deep at most: write [\(id).config]")
                }
                choice.config = JSONFragment(json)
            default: throw reader.unknown(key, in: id, known: known)
            }
        }
        return choice
    }

    /// The same value in JSON; nil for times, which JSON does not have, and for numbers that are none.
    private static func json(_ value: any TOMLValueConvertible, depth: Int) -> JSONValue? {
        if depth > mostDepth { return nil }
        if let text = value.string { return .string(text) }
        if let flag = value.bool { return .bool(flag) }
        if let number = value.int { return JSONValue(number) }
        if let number = value.double { return number.isFinite ? .double(number) : nil }
        if let array = value.array {
            var elements: [JSONValue] = []
            for element in array {
                guard let json = json(element, depth: depth + 1) else { return nil }
                elements.append(json)
            }
            return .array(elements)
        }
        guard let table = value.table else { return nil }
        var object = JSONObject()
        for key in table.keys.sorted() {
            guard let member = table[key], let json = json(member, depth: depth + 1) else {
                return nil
            }
            object[key] = json
        }
        return .object(object)
    }
}
