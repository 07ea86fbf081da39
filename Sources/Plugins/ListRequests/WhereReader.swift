package import JSONText
package import PickerModel
package import WireProtocol

// Reads the wire's `where`: arrays that begin with an operator, as in watchman. Errors have code 1007 and
// the place of the fault ("where[2][1]"): that of the array if it is not a condition, else that of the
// operand. Depth, number and size of conditions are limited, so that no request builds a filter that is
// slow to evaluate. The limits are checked before anything is compiled, that of the text before json-c
// parses it.

/// Reads one filter expression.
package struct WhereReader {
    /// The deepest nesting of conditions.
    static let greatestDepth = 16
    /// The most conditions in total; each text in a list of texts counts as one.
    static let mostTerms = 256
    /// The most bytes of all texts together.
    static let mostBytes = 4096
    /// The most keys of documents in total, which count for neither of these limits: a key is found, and not
    /// looked for.
    static let mostKeys = 4096
    /// The most bytes of the JSON text. Every filter within the other limits fits, even with an escape
    /// for each character.
    static let longestText = 65_536

    private enum Operator: String, CaseIterable {
        case allof, anyof, not, type, suffix, match, imatch, name, size, modified, path, liked
        case dropped, hidden, attr, key
        case `true`
    }

    private static let operators = Operator.allCases.map(\.rawValue)
    private static let comparisons = FilterExpression.Comparison.allCases.map(\.rawValue)

    private var terms = 0
    private var bytes = 0
    private var keys = 0

    /// Reads the filter in a member of the parameters.
    /// - Throws: badExpression.
    static func filter(
        _ view: JSONView, knowing attributes: AttributeDirectory
    ) throws(ProtocolError) -> DocumentFilter {
        guard view.bytes.count <= longestText else {
            throw .badExpression(
                at: "where",
                "'where' is \(view.bytes.count) bytes long as it is written; \(longestText) at most"
            )
        }
        let tree: JSONValue
        do {
            tree = try view.value()
        } catch {
            throw .badExpression(at: "where", "in 'where', \(error.message)")
        }
        return try filter(tree, at: "where", knowing: attributes)
    }

    /// Reads a filter that is at `place`, and may depend on attributes if these are given.
    /// - Throws: badExpression.
    package static func filter(
        _ tree: JSONValue, at place: String, knowing attributes: AttributeDirectory?
    ) throws(ProtocolError) -> DocumentFilter {
        var reader = WhereReader(attributes: attributes)
        return DocumentFilter(try reader.expression(Term(tree, place), depth: 1))
    }

    private init(attributes: AttributeDirectory?) {
        self.attributes = attributes
    }

    private let attributes: AttributeDirectory?

    /// A value and its place in the expression.
    private struct Term {
        let value: JSONValue
        let place: String

        init(_ value: JSONValue, _ place: String) {
            self.value = value
            self.place = place
        }

        func wrong(_ message: String) -> ProtocolError {
            .badExpression(at: place, "'\(place)' \(message)")
        }

        /// "must be X, not Y".
        func mustBe(_ right: String) -> ProtocolError { wrong("must be \(right), not \(shown)") }

        var shown: String {
            let bytes = value.bytes
            let text = String(decoding: bytes.prefix(60), as: UTF8.self)
            return bytes.count > 60 ? "\(text)…" : text
        }
    }

    // MARK: Expressions

    private mutating func expression(
        _ term: Term, depth: Int
    ) throws(ProtocolError) -> FilterExpression {
        guard depth <= Self.greatestDepth else {
            throw term.wrong("is nested deeper than \(Self.greatestDepth) conditions")
        }
        try count(term)
        guard let elements = term.value.arrayValue else {
            throw term.mustBe("an array, such as [\"suffix\",\"md\"]")
        }
        guard let name = elements.first?.stringValue else {
            throw term.wrong(
                "must begin with the name of an operator: \(Self.list(Self.operators))")
        }
        guard let known = Operator(rawValue: name) else {
            throw term.wrong(
                "has the unknown operator \(ProtocolError.quoted(name)); known are "
                    + Self.list(Self.operators)
                    + NearestWord.hint(for: name, among: Self.operators))
        }
        let operands = elements.enumerated().dropFirst().map {
            Term($0.element, "\(term.place)[\($0.offset)]")
        }
        return try condition(known, term, operands, depth)
    }

    private mutating func condition(
        _ name: Operator, _ term: Term, _ operands: [Term], _ depth: Int
    ) throws(ProtocolError) -> FilterExpression {
        switch name {
        case .allof: return .all(try expressions(operands, depth))
        case .anyof: return .any(try expressions(operands, depth))
        case .not:
            try expect(1...1, operands, in: term, #"["not",EXPRESSION]"#)
            return .not(try expression(operands[0], depth: depth + 1))
        case .true:
            try expect(0...0, operands, in: term, #"["true"]"#)
            return .everything
        case .liked:
            try expect(0...0, operands, in: term, #"["liked"]"#)
            return .liked
        case .dropped:
            try expect(0...0, operands, in: term, #"["dropped"]"#)
            return .dropped
        case .hidden:
            try expect(0...0, operands, in: term, #"["hidden"]"#)
            return .hidden
        case .key:
            try expect(1...1, operands, in: term, #"["key","f12"] or ["key",["f12","f1a"]]"#)
            return .keys(try keys(operands[0]))
        case .type:
            try expect(1...1, operands, in: term, #"["type","image/png"] or ["type","f"]"#)
            return try fileType(operands[0])
        case .suffix:
            try expect(1...1, operands, in: term, #"["suffix","md"] or ["suffix",["md","txt"]]"#)
            return try suffixes(operands[0])
        case .name:
            try expect(1...1, operands, in: term, #"["name","x"] or ["name",["x","y"]]"#)
            return .name(try texts(operands[0]).map { Array($0.text.utf8) })
        case .match: return try glob(term, operands, [])
        case .imatch: return try glob(term, operands, .ignoringCase)
        case .path:
            try expect(1...1, operands, in: term, #"["path","drafts/**"]"#)
            return .glob(try glob(operands[0], .wholePath))
        case .size:
            try expect(2...2, operands, in: term, #"["size","gt",1000]"#)
            return .size(try comparison(operands[0], []), try size(operands[1]))
        case .modified:
            try expect(2...2, operands, in: term, #"["modified","since",SECONDS]"#)
            let comparison = try comparison(operands[0], ["since"])
            guard let seconds = operands[1].value.doubleValue else {
                throw operands[1].mustBe("seconds since 1970, a number")
            }
            return .modified(comparison, seconds)
        case .attr:
            try expect(3...3, operands, in: term, #"["attr","pdf.pages","ge",10]"#)
            return try attribute(operands)
        }
    }

    private mutating func expressions(
        _ operands: [Term], _ depth: Int
    ) throws(ProtocolError) -> [FilterExpression] {
        var result: [FilterExpression] = []
        for operand in operands { result.append(try expression(operand, depth: depth + 1)) }
        return result
    }

    // MARK: Operands

    /// Watchman's "f", or media types.
    private mutating func fileType(_ operand: Term) throws(ProtocolError) -> FilterExpression {
        if operand.value.stringValue == "f" { return .everything }
        let types = try texts(operand)
        for (text, term) in types where !MediaTypeSet.isType(text) {
            throw term.mustBe(
                "a media type, such as \"image/png\" or \"image/*\", or \"f\", which every document is; "
                    + "by what a name ends in, [\"suffix\",\"pdf\"]")
        }
        return .type(MediaTypeSet(types.map(\.text)))
    }

    private mutating func suffixes(_ operand: Term) throws(ProtocolError) -> FilterExpression {
        var suffixes: [[UInt8]] = []
        for (text, term) in try texts(operand) {
            guard !text.isEmpty, !text.utf8.contains(UInt8(ascii: "/")), text.utf8.first != 0x2E
            else { throw term.mustBe("a suffix without its dot, such as \"md\"") }
            suffixes.append(text.utf8.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 })
        }
        return .suffix(suffixes)
    }

    /// A key, or an array of keys.
    private mutating func keys(_ operand: Term) throws(ProtocolError) -> DocumentKeys {
        let elements = operand.value.arrayValue
        keys += elements?.count ?? 1
        guard keys <= Self.mostKeys else {
            throw operand.wrong("has too many keys: \(Self.mostKeys) at most in all of 'where'")
        }
        guard let elements else {
            guard let key = operand.value.stringValue else {
                throw operand.mustBe("a key, or an array of keys")
            }
            return DocumentKeys([key])
        }
        var found: [String] = []
        for (index, element) in elements.enumerated() {
            guard let key = element.stringValue else {
                throw Term(element, "\(operand.place)[\(index)]").mustBe("a key, a string")
            }
            found.append(key)
        }
        return DocumentKeys(found)
    }

    /// A text, or an array of texts.
    private mutating func texts(
        _ operand: Term
    ) throws(ProtocolError) -> [(text: String, term: Term)] {
        guard let elements = operand.value.arrayValue else {
            return [(try text(operand, "a string, or an array of strings"), operand)]
        }
        var result: [(String, Term)] = []
        for (index, element) in elements.enumerated() {
            let term = Term(element, "\(operand.place)[\(index)]")
            try count(term)
            result.append((try text(term, "a string"), term))
        }
        return result
    }

    private mutating func text(
        _ operand: Term, _ right: String
    ) throws(ProtocolError) -> String {
        guard let text = operand.value.stringValue else { throw operand.mustBe(right) }
        bytes += text.utf8.count
        guard bytes <= Self.mostBytes else {
            throw operand.wrong("is too much: all texts may have \(Self.mostBytes) bytes together")
        }
        return text
    }

    /// `match` and `imatch`, with watchman's scope and flags.
    private mutating func glob(
        _ term: Term, _ operands: [Term], _ options: Glob.Options
    ) throws(ProtocolError) -> FilterExpression {
        try expect(1...3, operands, in: term, #"["match","*.txt"]"#)
        var options = options
        if operands.count > 1 {
            switch operands[1].value.stringValue {
            case "basename": break
            case "wholename": options.insert(.wholePath)
            default: throw operands[1].mustBe("\"basename\" or \"wholename\"")
            }
        }
        if operands.count > 2 { options.formUnion(try flags(operands[2])) }
        return .glob(try glob(operands[0], options))
    }

    private func flags(_ operand: Term) throws(ProtocolError) -> Glob.Options {
        let known: [(String, Glob.Options)] = [
            ("includedotfiles", .includingDotFiles), ("noescape", .withoutEscapes),
        ]
        guard let object = operand.value.objectValue else {
            throw operand.mustBe("an object of flags, such as {\"includedotfiles\":true}")
        }
        var options: Glob.Options = []
        for member in object.members {
            let flag = known.first { $0.0 == member.key }
            guard let flag, let isSet = member.value.boolValue else {
                throw operand.mustBe("an object of includedotfiles, noescape, each true or false")
            }
            if isSet { options.insert(flag.1) }
        }
        return options
    }

    private mutating func glob(
        _ operand: Term, _ options: Glob.Options
    ) throws(ProtocolError) -> Glob {
        let pattern = try text(operand, "a pattern, such as \"*.txt\"")
        do throws(PickerModelError) {
            return try Glob(pattern, options)
        } catch {
            throw operand.wrong("is not a valid pattern: \(error)")
        }
    }

    private func comparison(
        _ operand: Term, _ others: [String]
    ) throws(ProtocolError) -> FilterExpression.Comparison {
        let name = operand.value.stringValue
        if let name, name == "since", others.contains(name) { return .atLeast }
        guard let comparison = name.flatMap(FilterExpression.Comparison.init(rawValue:)) else {
            throw operand.mustBe("one of \(Self.list(others + Self.comparisons))")
        }
        return comparison
    }

    private func size(_ operand: Term) throws(ProtocolError) -> UInt64 {
        if let integer = operand.value.integerValue, let size = UInt64(exactly: integer) {
            return size
        }
        if case .number(let number) = operand.value, let size = number.unsignedValue {
            return size
        }
        throw operand.mustBe("a size in bytes, an integer from 0 on")
    }

    private mutating func attribute(_ operands: [Term]) throws(ProtocolError) -> FilterExpression {
        guard let name = operands[0].value.stringValue else {
            throw operands[0].mustBe("the name of an attribute, a string")
        }
        let operation = try attributeOperation(operands[1])
        guard [.string, .number, .bool].contains(operands[2].value.kind) else {
            throw operands[2].mustBe("a string, a number, true or false")
        }
        guard let attributes else {
            throw operands[0].wrong("names an attribute: only the fields of files are known here")
        }
        guard let attribute = attributes.attribute(named: name) else {
            let known = attributes.known.map(\.name)
            throw operands[0].wrong(
                "names the attribute \(ProtocolError.quoted(name)), which no plugin contributes; "
                    + (known.isEmpty
                        ? "there are no attributes now"
                        : "attributes.list tells all"
                            + NearestWord.hint(for: name, among: known)))
        }
        let value = try value(operands[2], for: operation, of: attribute, name)
        guard let test = AttributeTest(attribute, operation, value) else {
            throw operands[1].mustBe(
                "an operator for \(attribute.kind.rawValue)s: "
                    + Self.list(
                        Self.comparisons + ["known"]
                            + (attribute.kind == .text ? ["contains", "prefix"] : [])))
        }
        return .attribute(test)
    }

    private static let attributeOperations = comparisons + ["contains", "prefix", "known"]

    private func attributeOperation(
        _ operand: Term
    ) throws(ProtocolError) -> AttributeTest.Operation {
        switch operand.value.stringValue {
        case "contains"?: return .contains
        case "prefix"?: return .prefix
        case "known"?: return .known
        case let name?:
            if let comparison = FilterExpression.Comparison(rawValue: name) {
                return .comparison(comparison)
            }
        case nil: break
        }
        throw operand.mustBe("one of \(Self.list(Self.attributeOperations))")
    }

    private mutating func value(
        _ operand: Term, for operation: AttributeTest.Operation, of attribute: Attribute,
        _ name: String
    ) throws(ProtocolError) -> AttributeValue {
        if operation == .known {
            guard let isKnown = operand.value.boolValue else {
                throw operand.mustBe("true or false")
            }
            return .boolean(isKnown)
        }
        switch attribute.kind {
        case .boolean:
            if let value = operand.value.boolValue { return .boolean(value) }
            throw operand.mustBe("true or false, as '\(name)' is")
        case .integer:
            if let value = operand.value.integerValue { return .integer(value) }
            throw operand.mustBe("an integer, as '\(name)' is")
        case .number, .time:
            if let value = operand.value.doubleValue, value.isFinite {
                return attribute.kind == .time ? .time(value) : .number(value)
            }
            throw operand.mustBe(
                attribute.kind == .time
                    ? "seconds since 1970, as '\(name)' is a time" : "a number, as '\(name)' is")
        case .text: return .text(try text(operand, "a string, as '\(name)' is"))
        }
    }

    // MARK: Limits

    private mutating func count(_ term: Term) throws(ProtocolError) {
        terms += 1
        guard terms <= Self.mostTerms else {
            throw term.wrong("is one condition too many: \(Self.mostTerms) at most")
        }
    }

    private func expect(
        _ counts: ClosedRange<Int>, _ operands: [Term], in term: Term, _ example: String
    ) throws(ProtocolError) {
        guard counts.contains(operands.count) else {
            let has = operands.count == 1 ? "1 operand" : "\(operands.count) operands"
            throw term.wrong("has \(has); right is \(example)")
        }
    }

    private static func list(_ words: [String]) -> String { words.joined(separator: ", ") }
}
