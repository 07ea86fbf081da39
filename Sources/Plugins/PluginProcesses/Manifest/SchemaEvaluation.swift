internal import JSONText
internal import WireProtocol

/// One check of a value. It stops at the first fault.
struct SchemaEvaluation {
    /// So many bytes of a text cost a step.
    static let bytesOfStep = 64

    private let name: String
    private var stepsLeft = CheckedSchema.mostSteps
    /// Whether faults only end a branch: then nobody reads their messages, and they have none.
    private var isSilent = false
    /// The way to the current value, while faults have messages.
    private var place: [Step] = []

    private enum Step {
        case member(String)
        case element(Int)
    }

    init(of name: String) {
        self.name = name
    }

    /// - Throws: the first fault.
    mutating func check(_ value: JSONValue, _ node: SchemaNode) throws(SchemaFault) {
        let rules = node.rules
        try spend(rules.steps)
        guard !rules.isNever, rules.types?.holds(value) ?? true,
            rules.values.allSatisfy({ $0.contains(value) })
        else { throw wrong(value, rules) }
        switch value {
        case .null, .bool: break
        case .integer, .double, .number: try checkNumber(value, rules)
        case .string(let text): try checkLength(text, value, rules)
        case .array(let elements): try checkElements(elements, value, rules)
        case .object(let object):
            if let members = rules.members { try checkMembers(object, members) }
        }
        try checkBranches(value, rules)
    }

    private func checkNumber(_ value: JSONValue, _ rules: SchemaRules) throws(SchemaFault) {
        func fits(_ bound: JSONValue?, _ isRight: (Int) -> Bool) -> Bool {
            bound.flatMap { value.order($0) }.map(isRight) ?? true
        }
        guard fits(rules.minimum, { $0 >= 0 }), fits(rules.maximum, { $0 <= 0 }),
            fits(rules.exclusiveMinimum, { $0 > 0 }), fits(rules.exclusiveMaximum, { $0 < 0 })
        else { throw wrong(value, rules) }
    }

    private mutating func checkLength(
        _ text: String, _ value: JSONValue, _ rules: SchemaRules
    ) throws(SchemaFault) {
        guard rules.hasLengths else { return }
        try spend(text.utf8.count / Self.bytesOfStep)
        let length = text.unicodeScalars.count
        guard length >= rules.minLength ?? 0, length <= rules.maxLength ?? .max else {
            throw wrong(value, rules)
        }
    }

    private mutating func checkElements(
        _ elements: [JSONValue], _ value: JSONValue, _ rules: SchemaRules
    ) throws(SchemaFault) {
        guard elements.count >= rules.minItems ?? 0, elements.count <= rules.maxItems ?? .max
        else { throw wrong(value, rules) }
        for (index, element) in elements.enumerated() {
            let node = index < rules.prefix.count ? rules.prefix[index] : rules.rest
            guard let node else { break }
            enter(.element(index))
            try check(element, node)
            leave()
        }
    }

    private mutating func checkMembers(
        _ object: JSONObject, _ members: SchemaMembers
    ) throws(SchemaFault) {
        var found = Set<Int>()
        for member in object.members {
            try spend(1 + member.key.utf8.count / Self.bytesOfStep)
            let entry = members[member.key]
            if let place = entry?.requirement { found.insert(place) }
            guard let node = entry?.schema ?? members.additional else { continue }
            enter(.member(member.key))
            if entry?.schema == nil, node.rules.isNever { throw unknown(member.key, members) }
            try check(member.value, node)
            leave()
        }
        guard found.count < members.required.count else { return }
        for (place, name) in members.required.enumerated() where !found.contains(place) {
            throw missing(name, members[name]?.schema)
        }
    }

    private mutating func checkBranches(
        _ value: JSONValue, _ rules: SchemaRules
    ) throws(SchemaFault) {
        for node in rules.allOf { try check(value, node) }
        if !rules.anyOf.isEmpty {
            var fits = false
            for node in rules.anyOf where !fits { fits = try self.fits(value, node) }
            if !fits { try throwNearest(value, rules.anyOf, rules) }
        }
        if !rules.oneOf.isEmpty {
            var count = 0
            for node in rules.oneOf where try fits(value, node) { count += 1 }
            if count == 0 { try throwNearest(value, rules.oneOf, rules) }
            if count > 1 { throw ambiguous(value, rules, count) }
        }
        if let node = rules.not, try fits(value, node) { throw wrong(value, rules) }
    }

    /// Whether the value fits; for one of several schemas.
    private mutating func fits(
        _ value: JSONValue, _ node: SchemaNode
    ) throws(SchemaFault) -> Bool {
        let wasSilent = isSilent
        isSilent = true
        defer { isSilent = wasSilent }
        do throws(SchemaFault) {
            try check(value, node)
            return true
        } catch {
            if stepsLeft < 0 { throw error }
            return false
        }
    }

    /// Throws the fault by the only alternative of the value's type, or else one that names all alternatives.
    private mutating func throwNearest(
        _ value: JSONValue, _ alternatives: [SchemaNode], _ rules: SchemaRules
    ) throws(SchemaFault) {
        let near = alternatives.filter {
            $0.rules.types?.holds(value) ?? !$0.rules.isNever && $0.rules.values.isEmpty
        }
        if !isSilent, near.count == 1 { try check(value, near[0]) }
        throw wrong(value, rules)
    }

    // MARK: Limits and faults

    private mutating func spend(_ steps: Int) throws(SchemaFault) {
        stepsLeft -= steps
        guard stepsLeft >= 0 else {
            throw SchemaFault(
                at: name,
                message: "'\(name)' takes more than \(CheckedSchema.mostSteps) steps to check; "
                    + "it must be smaller, or its schema simpler")
        }
    }

    private mutating func enter(_ step: Step) {
        if !isSilent { place.append(step) }
    }

    private mutating func leave() {
        if !isSilent { place.removeLast() }
    }

    private var path: String {
        var path = ""
        for step in place {
            switch step {
            case .member(let name):
                path += (path.isEmpty ? "" : ".") + ManifestValue.shown(name)
            case .element(let index): path += (path.isEmpty ? name : "") + "[\(index)]"
            }
        }
        return path.isEmpty ? name : path
    }

    private func fault(_ message: (_ path: String) -> String) -> SchemaFault {
        if isSilent { return SchemaFault(at: "", message: "") }
        let path = path
        return SchemaFault(at: path, message: message(path))
    }

    private func wrong(_ value: JSONValue, _ rules: SchemaRules) -> SchemaFault {
        fault { path in
            let right = SchemaWords.right(rules, for: value)
            return "'\(path)' must be \(right), not \(SchemaWords.shown(value))"
        }
    }

    private func ambiguous(
        _ value: JSONValue, _ rules: SchemaRules, _ count: Int
    ) -> SchemaFault {
        fault { path in
            "'\(path)' must fit one of \(rules.oneOf.count) schemas, not \(count) of them: "
                + SchemaWords.shown(value)
        }
    }

    private mutating func missing(_ name: String, _ node: SchemaNode?) -> SchemaFault {
        enter(.member(name))
        return fault { path in
            let right = node.map { "; it must be \(SchemaWords.right($0.rules, for: nil))" }
            return "'\(path)' is missing\(right ?? "")"
        }
    }

    private func unknown(_ name: String, _ members: SchemaMembers) -> SchemaFault {
        fault { path in
            let known = members.entries.filter { $0.schema != nil }.map(\.name)
            return "'\(path)' is not known\(SchemaWords.known(known))"
                + NearestWord.hint(for: name, among: known)
        }
    }
}
