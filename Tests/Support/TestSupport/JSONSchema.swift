// A validator for JSON Schema 2020-12 with exactly the keywords that the daemon's schemas use. An unknown
// keyword is an error of the schema: nothing is ignored.

package import JSONText
internal import Synchronization

/// Schemas, and the document that contains them.
package struct JSONSchema: Sendable {
    private let document: JSONValue

    /// References in its schemas lead into `document`.
    package init(in document: JSONValue) {
        self.document = document
    }

    /// The errors of a value by a schema; empty if it is valid.
    package func problems(of value: JSONValue, by schema: JSONValue, at path: String) -> [String] {
        guard let keywords = schema.objectValue else {
            return schema == true ? [] : ["\(path): there may be no such value"]
        }
        return keywords.members.flatMap { keyword in
            problems(of: value, keyword.key, keyword.value, beside: keywords, path)
        }
    }

    private func problems(
        of value: JSONValue, _ keyword: String, _ rule: JSONValue, beside keywords: JSONObject,
        _ path: String
    ) -> [String] {
        func check(_ holds: Bool) -> [String] {
            if holds { return [] }
            return ["\(path): \(value.shortened) is against \(keyword) \(rule.shortened)"]
        }
        switch keyword {
        case "description": return []
        case "type": return check((rule.arrayValue ?? [rule]).contains { value.isOfType($0) })
        case "const": return check(value == rule)
        case "enum": return check(rule.arrayValue?.contains(value) == true)
        case "anyOf":
            let alternatives = rule.arrayValue ?? []
            let found = alternatives.map { problems(of: value, by: $0, at: path) }
            if found.contains(where: \.isEmpty) { return [] }
            return ["\(path): \(value.shortened) is none of these"] + found.flatMap { $0 }
        case "$ref":
            guard let target = target(of: rule) else { return ["\(path): no schema at \(rule)"] }
            return problems(of: value, by: target, at: path)
        case "minimum", "maximum":
            guard let number = value.doubleValue, let bound = rule.doubleValue else { return [] }
            return check(keyword == "minimum" ? number >= bound : number <= bound)
        case "minLength", "maxLength", "pattern":
            guard let text = value.stringValue else { return [] }
            if keyword == "pattern" { return check(Self.matches(text, rule.stringValue ?? "(")) }
            let length = Int64(text.unicodeScalars.count)
            let bound = rule.integerValue ?? -1
            return check(keyword == "minLength" ? length >= bound : length <= bound)
        case "minItems", "maxItems":
            guard let count = (value.arrayValue?.count).map({ Int64($0) }) else { return [] }
            let bound = rule.integerValue ?? -1
            return check(keyword == "minItems" ? count >= bound : count <= bound)
        case "items", "prefixItems": return itemProblems(of: value, keyword, rule, path)
        case "properties", "required", "additionalProperties", "patternProperties":
            return memberProblems(of: value, keyword, rule, beside: keywords, path)
        default: return ["\(path): the schema has the keyword '\(keyword)', which is not known"]
        }
    }

    private func itemProblems(
        of value: JSONValue, _ keyword: String, _ rule: JSONValue, _ path: String
    ) -> [String] {
        guard let elements = value.arrayValue else { return [] }
        var problems: [String] = []
        for (index, element) in elements.enumerated() {
            let place = "\(path)[\(index)]"
            if keyword == "items" {
                problems += self.problems(of: element, by: rule, at: place)
            } else if let rule = rule[index] {
                problems += self.problems(of: element, by: rule, at: place)
            }
        }
        return problems
    }

    private func memberProblems(
        of value: JSONValue, _ keyword: String, _ rule: JSONValue, beside keywords: JSONObject,
        _ path: String
    ) -> [String] {
        guard let object = value.objectValue else { return [] }
        switch keyword {
        case "required":
            return (rule.arrayValue ?? []).filter { object[$0.stringValue ?? ""] == nil }
                .map { "\(path): the member \($0) is missing" }
        case "properties":
            return object.members.flatMap { member in
                rule[member.key].map {
                    problems(of: member.value, by: $0, at: "\(path).\(member.key)")
                }
                    ?? []
            }
        case "patternProperties":
            return object.members.flatMap { member in
                (rule.objectValue?.members ?? []).flatMap { pattern in
                    Self.matches(member.key, pattern.key)
                        ? problems(of: member.value, by: pattern.value, at: "\(path).\(member.key)")
                        : []
                }
            }
        default:
            let patterns = keywords["patternProperties"]?.objectValue?.members.map(\.key) ?? []
            return object.members.filter { member in
                keywords["properties"]?[member.key] == nil
                    && !patterns.contains { Self.matches(member.key, $0) }
            }
            .flatMap { problems(of: $0.value, by: rule, at: "\(path).\($0.key)") }
        }
    }

    /// The patterns of all schemas, compiled; nil for those that are none. To compile one takes longer than to match it.
    private static let compiled = Mutex<[String: Regex<AnyRegexOutput>?]>([:])

    private static func matches(_ text: String, _ pattern: String) -> Bool {
        compiled.withLock { known in
            let regex = known[pattern] ?? (try? Regex(pattern))
            known[pattern] = .some(regex)
            return regex.flatMap { text.firstMatch(of: $0) } != nil
        }
    }

    /// The target of a reference within the document.
    package func target(of reference: JSONValue) -> JSONValue? {
        guard let text = reference.stringValue, text.hasPrefix("#/") else { return nil }
        return text.dropFirst(2).split(separator: "/").reduce(document) {
            (value: JSONValue?, name) in
            value?[String(name)]
        }
    }

    /// The errors of a schema itself, and of its inner schemas.
    package func faults(of schema: JSONValue, at path: String) -> [String] {
        guard let keywords = schema.objectValue else {
            return schema.boolValue == nil ? ["\(path): \(schema.shortened) is no schema"] : []
        }
        return keywords.members.flatMap { keyword in
            faults(of: keyword.key, keyword.value, at: "\(path).\(keyword.key)")
        }
    }

    private static let types: [JSONValue] = [
        "null", "boolean", "integer", "number", "string", "array", "object",
    ]

    private func faults(of keyword: String, _ rule: JSONValue, at path: String) -> [String] {
        func check(_ holds: Bool) -> [String] { holds ? [] : ["\(path): \(rule.shortened)"] }
        switch keyword {
        case "const": return []
        case "description": return check(rule.stringValue?.isEmpty == false)
        case "type":
            let named = rule.arrayValue ?? [rule]
            let areKnown = named.allSatisfy { Self.types.contains($0) }
            return check(areKnown && Set(named.map(\.description)).count == named.count)
        case "enum": return check(rule.arrayValue?.isEmpty == false)
        case "pattern": return check((try? Regex(rule.stringValue ?? "(")) != nil)
        case "minimum", "maximum": return check(rule.doubleValue != nil)
        case "minLength", "maxLength", "minItems", "maxItems":
            return check((rule.integerValue ?? -1) >= 0)
        case "required":
            return check(rule.arrayValue?.allSatisfy { $0.stringValue != nil } == true)
        case "$ref":
            guard let target = target(of: rule) else { return check(false) }
            // Those are checked where they are defined.
            return check(target.objectValue != nil)
        case "items", "additionalProperties": return faults(of: rule, at: path)
        case "anyOf", "prefixItems":
            guard let schemas = rule.arrayValue, !schemas.isEmpty else { return check(false) }
            return schemas.enumerated().flatMap { faults(of: $1, at: "\(path)[\($0)]") }
        case "patternProperties":
            guard let members = rule.objectValue?.members else { return check(false) }
            return check(members.allSatisfy { (try? Regex($0.key)) != nil })
                + members.flatMap { faults(of: $0.value, at: "\(path).\($0.key)") }
        case "properties":
            guard let members = rule.objectValue?.members else { return check(false) }
            return members.flatMap { faults(of: $0.value, at: "\(path).\($0.key)") }
        default: return ["\(path): a keyword that is not known"]
        }
    }
}

extension JSONValue {
    fileprivate func isOfType(_ name: JSONValue) -> Bool {
        switch name.stringValue {
        case "null": kind == .null
        case "boolean": kind == .bool
        case "string": kind == .string
        case "array": kind == .array
        case "object": kind == .object
        case "number": kind == .number
        case "integer":
            kind == .number && (integerValue != nil || doubleValue?.rounded() == doubleValue)
        default: false
        }
    }

    package var shortened: String {
        let text = description
        return text.utf8.count <= 120 ? text : "\(text.prefix(120))…"
    }
}
