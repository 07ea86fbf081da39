internal import JSONText
internal import WireProtocol

/// One check of a value. It stops at the first fault.
struct SchemaEvaluation {
    /// So many bytes of a text cost a step.
    static let bytesOfStep = 16

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
        // Rules are read in place: a copy would count a dozen references.
        try spend(node.rules.steps)
        guard !node.rules.isNever, node.rules.types?.holds(value) ?? true,
            node.rules.values.allSatisfy({ $0.contains(value) })
        else { throw wrong(value, node) }
        switch value {
        case .null, .bool: break
        case .integer, .double, .number: try checkNumber(value, node)
        case .string(let text): try checkLength(text, value, node)
        case .array(let elements): try checkElements(elements, value, node)
        case .object(let object):
            if let members = node.rules.members { try checkMembers(object, members) }
        }
        try checkBranches(value, node)
    }

    private func checkNumber(_ value: JSONValue, _ node: SchemaNode) throws(SchemaFault) {
        func fits(_ bound: JSONValue?, _ isRight: (Int) -> Bool) -> Bool {
            bound.flatMap { value.order($0) }.map(isRight) ?? true
        }
        guard fits(node.rules.minimum, { $0 >= 0 }), fits(node.rules.maximum, { $0 <= 0 }),
            fits(node.rules.exclusiveMinimum, { $0 > 0 }),
            fits(node.rules.exclusiveMaximum, { $0 < 0 })
        else { throw wrong(value, node) }
    }

    private mutating func checkLength(
        _ text: String, _ value: JSONValue, _ node: SchemaNode
    ) throws(SchemaFault) {
        guard node.rules.hasLengths else { return }
        try spend(text.utf8.count / Self.bytesOfStep)
        let length = text.unicodeScalars.count
        guard length >= node.rules.minLength ?? 0, length <= node.rules.maxLength ?? .max else {
            throw wrong(value, node)
        }
    }

    private mutating func checkElements(
        _ elements: [JSONValue], _ value: JSONValue, _ node: SchemaNode
    ) throws(SchemaFault) {
        guard elements.count >= node.rules.minItems ?? 0,
            elements.count <= node.rules.maxItems ?? .max
        else { throw wrong(value, node) }
        for (index, element) in elements.enumerated() {
            let prefix = node.rules.prefix
            guard let part = index < prefix.count ? prefix[index] : node.rules.rest else { break }
            enter(.element(index))
            try check(element, part)
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
        _ value: JSONValue, _ node: SchemaNode
    ) throws(SchemaFault) {
        for part in node.rules.allOf { try check(value, part) }
        if !node.rules.anyOf.isEmpty {
            var fits = false
            for part in node.rules.anyOf where !fits { fits = try self.fits(value, part) }
            if !fits { try throwNearest(value, node.rules.anyOf, node) }
        }
        if !node.rules.oneOf.isEmpty {
            var count = 0
            for part in node.rules.oneOf where try fits(value, part) { count += 1 }
            if count == 0 { try throwNearest(value, node.rules.oneOf, node) }
            if count > 1 { throw ambiguous(value, node, count) }
        }
        if let part = node.rules.not, try fits(value, part) { throw wrong(value, node) }
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
        _ value: JSONValue, _ alternatives: [SchemaNode], _ node: SchemaNode
    ) throws(SchemaFault) {
        let near = alternatives.filter {
            $0.rules.types?.holds(value) ?? !$0.rules.isNever && $0.rules.values.isEmpty
        }
        if !isSilent, near.count == 1 { try check(value, near[0]) }
        throw wrong(value, node)
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

    private func wrong(_ value: JSONValue, _ node: SchemaNode) -> SchemaFault {
        fault { path in
            let right = SchemaWords.right(node.rules, for: value)
            return "'\(path)' must be \(right), not \(SchemaWords.shown(value))"
        }
    }

    private func ambiguous(
        _ value: JSONValue, _ node: SchemaNode, _ count: Int
    ) -> SchemaFault {
        fault { path in
            "'\(path)' must fit one of \(node.rules.oneOf.count) schemas, not \(count) of them: "
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
