internal import JSONText
internal import WireProtocol

/// What a schema asks for, in the words of messages.
enum SchemaWords {
    /// Of the values and alternatives that a message names.
    private static let most = 8

    /// For "must be …". `value` is what is there; nil if nothing is.
    static func right(_ rules: SchemaRules, for value: JSONValue?) -> String {
        right(rules, for: value, depth: 1)
    }

    private static func right(_ rules: SchemaRules, for value: JSONValue?, depth: Int) -> String {
        if rules.isNever { return "absent" }
        if let values = rules.values.first {
            let words = values.prefix(most).map(shown).joined(separator: ", ")
            if values.count == 1 { return words }
            return "one of \(words)\(values.count > most ? ", …" : "")"
        }
        if let types = rules.types ?? value.flatMap({ typesWithBounds(of: $0, rules) }) {
            let words = SchemaTypes.names.filter { types.contains($0.value) }
                .map { phrase($0.value, rules) }
            if types.holds(value ?? .null), let not = rules.not, depth < 3 {
                return either(words) + ", but not \(right(not.rules, for: nil, depth: depth + 1))"
            }
            return either(words)
        }
        let alternatives = rules.anyOf.isEmpty ? rules.oneOf : rules.anyOf
        if !alternatives.isEmpty, depth < 3 {
            var words: [String] = []
            for node in alternatives {
                let word = right(node.rules, for: nil, depth: depth + 1)
                if words.contains(word) { continue }
                if words.count == most { return either(words + ["…"]) }
                words.append(word)
            }
            return either(words)
        }
        if let not = rules.not, depth < 3 {
            return "anything but \(right(not.rules, for: nil, depth: depth + 1))"
        }
        return depth == 1 && value != nil ? "what its schema says" : "of its schema"
    }

    /// The type of a value that is against a bound, where the schema names no type.
    private static func typesWithBounds(
        of value: JSONValue, _ rules: SchemaRules
    ) -> SchemaTypes? {
        let hasBounds =
            switch value.kind {
            case .number: !bounds(rules, areWhole: false).isEmpty
            case .string: rules.hasLengths
            case .array: rules.hasCounts
            default: false
            }
        return hasBounds && rules.anyOf.isEmpty && rules.oneOf.isEmpty
            ? SchemaTypes(value.kind) : nil
    }

    private static func either(_ words: [String]) -> String {
        guard words.count > 1 else { return words.first ?? "nothing" }
        return words.dropLast().joined(separator: ", ") + " or " + words[words.count - 1]
    }

    private static func phrase(_ type: SchemaTypes, _ rules: SchemaRules) -> String {
        switch type {
        case .null: "null"
        case .boolean: "true or false"
        case .integer: "an integer" + bounds(rules, areWhole: true)
        case .number: "a number" + bounds(rules, areWhole: false)
        case .string: "a string" + range(rules.minLength, rules.maxLength, "character")
        case .array: "an array" + range(rules.minItems, rules.maxItems, "element")
        default: "an object"
        }
    }

    private static func bounds(_ rules: SchemaRules, areWhole: Bool) -> String {
        if areWhole, rules.exclusiveMinimum == nil, rules.exclusiveMaximum == nil,
            let low = rules.minimum, let high = rules.maximum
        {
            return " from \(shown(low)) to \(shown(high))"
        }
        let words = [
            rules.minimum.map { "\(shown($0)) or more" },
            rules.exclusiveMinimum.map { "more than \(shown($0))" },
            rules.maximum.map { "\(shown($0)) or less" },
            rules.exclusiveMaximum.map { "less than \(shown($0))" },
        ].compactMap { $0 }
        return words.isEmpty ? "" : ", " + words.joined(separator: " and ")
    }

    private static func range(_ low: Int?, _ high: Int?, _ unit: String) -> String {
        func counted(_ count: Int) -> String { "\(count) \(unit)\(count == 1 ? "" : "s")" }
        return switch (low, high) {
        case (nil, nil): ""
        case (let low?, nil): " of at least \(counted(low))"
        case (nil, let high?): " of at most \(counted(high))"
        case (let low?, let high?) where low == high: " of \(counted(low))"
        case (let low?, let high?): " of \(low) to \(counted(high))"
        }
    }

    /// "; known are 'a', 'b'".
    static func known(_ names: [String]) -> String {
        if names.isEmpty { return "; there may be none" }
        let words = names.prefix(most).map { "'\(ManifestValue.shown($0))'" }
        return "; known are " + words.joined(separator: ", ") + (names.count > most ? ", …" : "")
    }

    /// The beginning of a value.
    static func shown(_ value: JSONValue) -> String { ParameterReader.shown(JSONView(value)) }
}
