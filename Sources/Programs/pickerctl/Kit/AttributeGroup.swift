import JSONText
import PluginProcesses

/// The attributes of a plugin that come from one reading of a file.
struct AttributeGroup {
    let name: String
    let attributes: [ProcessManifest.Attribute]

    static func all(of manifest: ProcessManifest) -> [AttributeGroup] {
        var names: [String] = []
        for attribute in manifest.attributes where !names.contains(attribute.group) {
            names.append(attribute.group)
        }
        return names.map { name in
            AttributeGroup(name: name, attributes: manifest.attributes.filter { $0.group == name })
        }
    }

    var names: [String] { attributes.map(\.name) }

    /// The suffixes of files that its conditions name.
    var suffixes: [String] {
        var found: [String] = []
        for attribute in attributes {
            if let condition = attribute.documents { Self.collect(condition, &found) }
        }
        return found
    }

    private static func collect(_ condition: JSONValue, _ found: inout [String]) {
        guard let parts = condition.arrayValue, let name = parts.first?.stringValue else { return }
        for operand in parts.dropFirst() {
            switch name {
            // What is under "not" is no file of it.
            case "allof", "anyof": collect(operand, &found)
            case "suffix": texts(operand).forEach { add($0, to: &found) }
            case "type":
                for type in texts(operand) {
                    if let suffix = SampleContent.suffix(ofType: type) { add(suffix, to: &found) }
                }
            default: continue
            }
        }
    }

    private static func texts(_ operand: JSONValue) -> [String] {
        operand.stringValue.map { [$0] } ?? (operand.arrayValue ?? []).compactMap(\.stringValue)
    }

    private static func add(_ suffix: String, to found: inout [String]) {
        if !found.contains(suffix) { found.append(suffix) }
    }
}
