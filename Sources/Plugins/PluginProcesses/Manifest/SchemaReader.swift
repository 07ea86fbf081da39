internal import JSONText
internal import WireProtocol

/// Reads the text of a schema. A keyword that is neither checked nor an annotation is a fault: it would seem to be
/// checked, and is not.
struct SchemaReader {
    private var keywords = 0

    mutating func node(
        _ value: ManifestValue, depth: Int = 1
    ) throws(ManifestFault) -> SchemaNode {
        guard depth <= CheckedSchema.greatestDepth else {
            throw value.fault(
                "'\(value.path)' is nested deeper than \(CheckedSchema.greatestDepth) schemas")
        }
        var rules = SchemaRules()
        if let isAlways = value.view.boolValue {
            rules.isNever = !isAlways
            return SchemaNode(rules)
        }
        for (name, value) in try members(value, "a JSON Schema: an object, true or false") {
            keywords += 1
            guard keywords <= CheckedSchema.mostKeywords else {
                throw value.fault(
                    "'\(value.path)' is one keyword too many: "
                        + "\(CheckedSchema.mostKeywords) at most in a schema")
            }
            if SchemaKeyword.annotations.contains(name) || name.hasPrefix("x-") { continue }
            guard let keyword = SchemaKeyword(rawValue: name) else {
                throw value.fault(
                    "'\(value.path)' is a keyword that is not supported; supported are "
                        + SchemaKeyword.names.joined(separator: ", ")
                        + NearestWord.hint(for: name, among: SchemaKeyword.names))
            }
            rules.steps += 1
            try read(keyword, value, into: &rules, depth)
        }
        return SchemaNode(rules)
    }

    private mutating func read(
        _ keyword: SchemaKeyword, _ value: ManifestValue, into rules: inout SchemaRules,
        _ depth: Int
    ) throws(ManifestFault) {
        switch keyword {
        case .type: rules.types = try types(value)
        case .const: try add([value], to: &rules)
        case .enum: try add(value.elements(1...Int.max, "an array of values"), to: &rules)
        case .minimum: rules.minimum = try number(value)
        case .maximum: rules.maximum = try number(value)
        case .exclusiveMinimum: rules.exclusiveMinimum = try number(value)
        case .exclusiveMaximum: rules.exclusiveMaximum = try number(value)
        case .minLength: rules.minLength = try count(value)
        case .maxLength: rules.maxLength = try count(value)
        case .minItems: rules.minItems = try count(value)
        case .maxItems: rules.maxItems = try count(value)
        case .items:
            guard value.view.kind != .array else {
                throw value.mustBe("a schema, and 'prefixItems' an array of them")
            }
            rules.rest = try node(value, depth: depth + 1)
        case .prefixItems: rules.prefix = try nodes(value, depth)
        case .properties, .required, .additionalProperties:
            var members = rules.members ?? SchemaMembers()
            try read(keyword, value, into: &members, depth)
            rules.members = members
        case .anyOf: rules.anyOf = try nodes(value, depth)
        case .oneOf: rules.oneOf = try nodes(value, depth)
        case .allOf: rules.allOf = try nodes(value, depth)
        case .not: rules.not = try node(value, depth: depth + 1)
        }
    }

    private mutating func read(
        _ keyword: SchemaKeyword, _ value: ManifestValue, into members: inout SchemaMembers,
        _ depth: Int
    ) throws(ManifestFault) {
        switch keyword {
        case .properties:
            for (name, value) in try self.members(value, "an object of schemas") {
                members.define(name, try node(value, depth: depth + 1))
            }
        case .required:
            for element in try value.elements(0...Int.max, "an array of names") {
                let name = try element.read(by: ManifestRule("a string") { $0.stringValue })
                guard members.require(name) else {
                    throw element.fault(
                        "'\(element.path)' must be given once, not twice: \(element.shown)")
                }
            }
        default: members.additional = try node(value, depth: depth + 1)
        }
    }

    private func members(
        _ value: ManifestValue, _ right: String
    ) throws(ManifestFault) -> [(String, ManifestValue)] {
        guard value.view.kind == .object else { throw value.mustBe(right) }
        do throws(JSONError) {
            let object = try value.view.object()
            return (0..<object.count).map { index in
                let name = object.key(at: index)
                return (name, value.member(name, object.value(at: index)))
            }
        } catch {
            throw value.fault(error.message)
        }
    }

    private mutating func nodes(
        _ value: ManifestValue, _ depth: Int
    ) throws(ManifestFault) -> [SchemaNode] {
        var nodes: [SchemaNode] = []
        for element in try value.elements(1...Int.max, "an array of schemas") {
            nodes.append(try node(element, depth: depth + 1))
        }
        return nodes
    }

    private func types(_ value: ManifestValue) throws(ManifestFault) -> SchemaTypes {
        let names = SchemaTypes.names.map { "\"\($0.key)\"" }.joined(separator: ", ")
        let rule = ManifestRule("one of \(names)") { view in
            view.stringValue.flatMap(SchemaTypes.init(name:))
        }
        guard value.view.kind == .array else { return try value.read(by: rule) }
        var types: SchemaTypes = []
        for element in try value.elements(1...7, "an array of 1 to 7 types") {
            types.formUnion(try element.read(by: rule))
        }
        return types
    }

    private func number(_ value: ManifestValue) throws(ManifestFault) -> JSONValue {
        guard value.view.kind == .number else { throw value.mustBe("a number") }
        return try value.value()
    }

    private func count(_ value: ManifestValue) throws(ManifestFault) -> Int {
        try value.read(
            by: ManifestRule("an integer, 0 or more") { view in
                view.integerValue.flatMap { $0 < 0 ? nil : Int(exactly: $0) }
            })
    }

    /// A comparison with a value takes as long as the value is.
    private func add(
        _ values: [ManifestValue], to rules: inout SchemaRules
    ) throws(ManifestFault) {
        var all: [JSONValue] = []
        for value in values {
            all.append(try value.value())
            rules.steps += 1 + value.view.bytes.count / SchemaEvaluation.bytesOfStep
        }
        rules.values.append(all)
    }
}
