internal import JSONText
internal import WireProtocol

/// A `where` expression in a manifest: arrays that begin with an operator.
///
/// Its form and its operands are checked here (`ConditionOperands`), so that what is wrong is said when the plugin is
/// found. Patterns are read where it is compiled.
enum ManifestCondition {
    /// The deepest nesting of conditions.
    static let greatestDepth = 16
    static let mostConditions = 256

    private static let joining: Set<String> = ["allof", "anyof", "not"]
    /// Operators over a file's name, type, size and path, which are known before it is read.
    static let ofFiles = [
        "allof", "anyof", "not", "true", "type", "suffix", "name", "match", "imatch", "path",
        "size",
    ]
    /// All operators of lists.
    static let ofItems = ofFiles + ["modified", "liked", "dropped", "hidden", "attr"]

    fileprivate static func check(
        _ condition: ManifestValue, over operators: [String], depth: Int, _ count: inout Int
    ) throws(ManifestFault) {
        guard depth <= greatestDepth else {
            throw condition.fault(
                "'\(condition.path)' is nested deeper than \(greatestDepth) conditions")
        }
        count += 1
        guard count <= mostConditions else {
            throw condition.fault(
                "'\(condition.path)' is one condition too many: \(mostConditions) at most")
        }
        let right = #"an array that begins with an operator, such as ["suffix","md"]"#
        let parts = try condition.elements(1...(mostConditions + 1), right)
        guard let name = parts[0].view.stringValue else { throw condition.mustBe(right) }
        guard operators.contains(name) else {
            throw condition.fault(
                "'\(condition.path)' has the operator \(ProtocolError.quoted(name)); here may be "
                    + operators.joined(separator: ", ")
                    + NearestWord.hint(for: name, among: operators))
        }
        guard joining.contains(name) else {
            return try ConditionOperands(
                name: name, condition: condition, operands: Array(parts.dropFirst())
            ).check()
        }
        if name == "not", parts.count != 2 {
            throw condition.fault(
                "'\(condition.path)' has \(parts.count - 1) conditions; right is "
                    + #"["not",CONDITION]"#)
        }
        for part in parts.dropFirst() {
            try check(part, over: operators, depth: depth + 1, &count)
        }
    }
}

extension ManifestValue {
    /// The value as a `where` expression of these operators.
    func condition(over operators: [String]) throws(ManifestFault) -> JSONValue {
        var count = 0
        try ManifestCondition.check(self, over: operators, depth: 1, &count)
        return try value()
    }
}
