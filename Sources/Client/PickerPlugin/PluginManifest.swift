internal import JSONText
internal import PickerClient
package import SystemInterface

/// What a plugin contributes, from its `plugin.json`. The daemon checks all of it; here it is read as far as it is
/// needed.
package struct PluginManifest {
    let id: String
    let version: String
    /// The first and the last version of the daemon's plugin interface that the plugin is made for.
    let api: (min: Int64, max: Int64)
    /// The names of attributes by group, and the type of each.
    private(set) var groups: [String: Set<String>] = [:]
    private(set) var types: [String: AttributeType] = [:]
    let methods: [String]
    let topics: [String]
    let sources: [String]
    let actions: [String]

    /// The group of an attribute that has none in the manifest.
    private static let usualGroup = "default"

    /// Reads the file.
    /// - Throws: ``PluginError/Code/manifest``, with the path.
    package init(at path: RawPath) throws(PluginError) {
        let bytes: [UInt8]?
        do throws(SystemError) {
            bytes = try PrivateFile.contents(of: path, limit: Limits.manifest)
        } catch {
            throw PluginError(.manifest, "\(path): \(error.code)")
        }
        guard let bytes else { throw PluginError(.manifest, "\(path): there is no such file") }
        do throws(ManifestProblem) {
            try self.init(reading: bytes)
        } catch {
            throw PluginError(.manifest, "\(path): \(error.text)")
        }
    }

    package init(reading bytes: [UInt8]) throws(ManifestProblem) {
        guard bytes.count <= Limits.manifest else {
            throw ManifestProblem("it is longer than \(Limits.manifest) bytes")
        }
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: bytes)
        } catch {
            throw ManifestProblem("it is not JSON: \(error)")
        }
        guard let top = value.objectValue else { throw ManifestProblem("it is not an object") }
        id = try Self.word(top, "id")
        version = try Self.word(top, "version")
        guard let least = top["api"]?["min"]?.integerValue,
            let greatest = top["api"]?["max"]?.integerValue
        else {
            throw ManifestProblem(
                #""api" must be an object with the integers "min" and "max""#)
        }
        api = (least, greatest)
        methods = try Self.names(top, "methods", "name")
        sources = try Self.names(top, "sources", "name")
        actions = try Self.names(top, "actions", "id")
        topics = try (top["topics"]?.arrayValue ?? []).map { topic throws(ManifestProblem) in
            guard let topic = topic.stringValue else {
                throw ManifestProblem(#""topics" must be an array of texts"#)
            }
            return topic
        }
        for name in methods + topics where !name.hasPrefix("\(id).") {
            throw ManifestProblem(
                "\(name) is not the plugin's own: its names begin with \"\(id).\"")
        }
        for entry in try Self.entries(top, "attributes") { try readAttribute(entry) }
        guard types.count <= Limits.attributes else {
            throw ManifestProblem(
                "it has \(types.count) attributes; \(Limits.attributes) are allowed")
        }
    }

    private mutating func readAttribute(_ entry: JSONObject) throws(ManifestProblem) {
        let name = try Self.word(entry, "name")
        let word = try Self.word(entry, "type")
        let group = entry["group"] == nil ? Self.usualGroup : try Self.word(entry, "group")
        guard let type = AttributeType(rawValue: word) else {
            let there = AttributeType.allCases.map(\.rawValue).joined(separator: ", ")
            throw ManifestProblem("\(name) has the type \"\(word)\"; there are \(there)")
        }
        guard types.updateValue(type, forKey: name) == nil else {
            throw ManifestProblem("\(name) is there twice")
        }
        groups[group, default: []].insert(name)
    }

    private static func word(
        _ holder: JSONObject, _ name: String
    ) throws(ManifestProblem) -> String {
        guard let word = holder[name]?.stringValue, !word.isEmpty else {
            throw ManifestProblem("\"\(name)\" must be a text that is not empty")
        }
        return word
    }

    private static func entries(
        _ top: JSONObject, _ name: String
    ) throws(ManifestProblem) -> [JSONObject] {
        guard let value = top[name] else { return [] }
        guard let elements = value.arrayValue else {
            throw ManifestProblem("\"\(name)\" must be an array of objects")
        }
        return try elements.map { element throws(ManifestProblem) in
            guard let object = element.objectValue else {
                throw ManifestProblem("\"\(name)\" must be an array of objects")
            }
            return object
        }
    }

    private static func names(
        _ top: JSONObject, _ list: String, _ member: String
    ) throws(ManifestProblem) -> [String] {
        try entries(top, list).map { entry throws(ManifestProblem) in try word(entry, member) }
    }

    /// Refuses what the program has and the manifest lacks.
    func require(
        _ name: String, in known: some Collection<String>, what: String
    ) throws(PluginError) {
        if known.contains(name) { return }
        let there = known.isEmpty ? "none" : known.sorted().joined(separator: ", ")
        throw PluginError(
            .manifest,
            "plugin.json: the program has the \(what) \"\(name)\", which is not there "
                + "(there: \(there))")
    }
}

/// What is wrong with a manifest.
package struct ManifestProblem: Error, CustomStringConvertible {
    package let text: String

    package var description: String { text }

    init(_ text: String) { self.text = text }
}
