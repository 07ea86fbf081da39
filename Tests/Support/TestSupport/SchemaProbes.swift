// Values at the limits of a schema, and one step beyond, derived from the schema itself.

package import JSONText

/// Generates test values for a parameter.
package struct SchemaProbes: Sendable {
    private let schema: JSONSchema

    /// Probes for schemas that are parts of `document`.
    package init(in document: JSONValue) {
        schema = JSONSchema(in: document)
    }

    /// Whether a value is valid by the schema.
    package func isLegal(_ value: JSONValue, by rule: JSONValue) -> Bool {
        schema.problems(of: value, by: rule, at: "").isEmpty
    }

    /// One plain value that the schema allows.
    package func sample(of rule: JSONValue) -> JSONValue {
        if let value = rule["const"] { return value }
        if let value = rule["enum"]?[0] { return value }
        if let target = rule["$ref"].flatMap({ schema.target(of: $0) }) {
            return sample(of: target)
        }
        if let first = rule["anyOf"]?[0] { return sample(of: first) }
        switch Self.type(of: rule) {
        case "null": return .null
        case "boolean": return true
        case "integer", "number":
            return rule["minimum"] ?? rule["maximum"] ?? 0
        case "string":
            let length = max(1, Int(rule["minLength"]?.integerValue ?? 1))
            return rule["pattern"] == nil ? .string(String(repeating: "a", count: length)) : "e:1"
        case "array":
            if let first = rule["prefixItems"]?.arrayValue {
                return .array(first.map { sample(of: $0) })
            }
            return array(of: Int(rule["minItems"]?.integerValue ?? 0), rule)
        case "object":
            var object = JSONObject()
            for name in (rule["required"]?.arrayValue ?? []).compactMap(\.stringValue) {
                object[name] = sample(of: rule["properties"]?[name] ?? [:])
            }
            return .object(object)
        default: return 1
        }
    }

    /// Values at both limits and beyond them, for the value itself and for each part of it.
    package func probes(of rule: JSONValue) -> [JSONValue] {
        if let target = rule["$ref"].flatMap({ schema.target(of: $0) }) {
            return probes(of: target)
        }
        if let choices = rule["anyOf"]?.arrayValue { return choices.flatMap { probes(of: $0) } }
        if rule["const"] != nil || rule["enum"] != nil { return [sample(of: rule)] }
        switch Self.type(of: rule) {
        case "integer": return integers(rule)
        case "number":
            let ends = [rule["minimum"], rule["maximum"]].compactMap { $0?.doubleValue }
            return [-1e308, 1e308, 1e-300, 0].map { .double($0) }
                + ends.flatMap { [.double($0), .double($0.nextUp), .double($0.nextDown)] }
        case "string": return strings(rule)
        case "array": return arrays(rule)
        case "object": return objects(rule)
        default: return []
        }
    }

    private func integers(_ rule: JSONValue) -> [JSONValue] {
        var values: [JSONValue] = [.integer(.min), .integer(.max), 0, -1]
        for text in ["9223372036854775808", "-9223372036854775809", "18446744073709551616"] {
            if let number = JSONNumber(text) { values.append(.number(number)) }
        }
        for end in [rule["minimum"], rule["maximum"]].compactMap({ $0?.integerValue }) {
            values += [-1, 0, 1].map { .integer(end &+ $0) }
        }
        return values
    }

    private func strings(_ rule: JSONValue) -> [JSONValue] {
        var lengths = [0, 100_000]
        for end in [rule["minLength"], rule["maxLength"]].compactMap({ $0?.integerValue }) {
            lengths += [Int(end) - 1, Int(end), Int(end) + 1]
        }
        return lengths.filter { $0 >= 0 }.map { .string(String(repeating: "a", count: $0)) }
            + ["e:9223372036854775807", "e:9223372036854775808", "e:0"]
    }

    private func arrays(_ rule: JSONValue) -> [JSONValue] {
        if let first = rule["prefixItems"]?.arrayValue {
            let whole = first.map { sample(of: $0) }
            var values: [JSONValue] = [.array(whole + [1]), .array(Array(whole.dropLast()))]
            for (index, part) in first.enumerated() {
                for probe in probes(of: part) {
                    var changed = whole
                    changed[index] = probe
                    values.append(.array(changed))
                }
            }
            return values
        }
        var counts = [0]
        for end in [rule["minItems"], rule["maxItems"]].compactMap({ $0?.integerValue }) {
            counts += [Int(end) - 1, Int(end), Int(end) + 1]
        }
        return counts.filter { $0 >= 0 }.map { array(of: $0, rule) }
            + probes(of: rule["items"] ?? [:]).map { [$0] }
    }

    private func objects(_ rule: JSONValue) -> [JSONValue] {
        let whole = sample(of: rule).objectValue ?? [:]
        return (rule["properties"]?.objectValue?.members ?? []).flatMap { member in
            probes(of: member.value).map { probe in
                var changed = whole
                changed[member.key] = probe
                return .object(changed)
            }
        }
    }

    private func array(of count: Int, _ rule: JSONValue) -> JSONValue {
        .array(Array(repeating: sample(of: rule["items"] ?? [:]), count: count))
    }

    private static func type(of rule: JSONValue) -> String {
        rule["type"]?.stringValue ?? rule["type"]?[0]?.stringValue ?? ""
    }
}
