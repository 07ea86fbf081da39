internal import JSONText

/// What follows the operator of a condition that joins no others: the same as lists take, but for the patterns
/// themselves, and for what the values of attributes may be compared with.
struct ConditionOperands {
    private static let comparisons = ["eq", "ne", "lt", "le", "gt", "ge"]

    let name: String
    let condition: ManifestValue
    let operands: [ManifestValue]

    func check() throws(ManifestFault) {
        switch name {
        case "true", "liked", "dropped", "hidden": try expect(0...0, #"["\#(name)"]"#)
        case "type":
            try expect(1...1, #"["type","image/png"]"#)
            try texts("a media type, such as \"image/png\" or \"image/*\"", where: Self.isType)
        case "suffix":
            try expect(1...1, #"["suffix",["jpg","jpeg"]]"#)
            try texts("a suffix without its dot, such as \"md\"") {
                !$0.isEmpty && $0.first != "." && !$0.contains("/")
            }
        case "name":
            try expect(1...1, #"["name","x"]"#)
            try texts("a name") { _ in true }
        case "match", "imatch":
            try expect(1...3, #"["match","*.txt"]"#)
            try pattern()
        case "path":
            try expect(1...1, #"["path","drafts/**"]"#)
            try pattern()
        case "size":
            try expect(2...2, #"["size","gt",1000]"#)
            try comparison(Self.comparisons)
            guard let size = operands[1].view.integerValue, size >= 0 else {
                throw operands[1].mustBe("a size in bytes, an integer from 0 on")
            }
        case "modified":
            try expect(2...2, #"["modified","since",SECONDS]"#)
            try comparison(["since"] + Self.comparisons)
            guard operands[1].view.doubleValue != nil else {
                throw operands[1].mustBe("seconds since 1970, a number")
            }
        default:
            // Of an attribute, the type says what it is compared with, and another plugin may have it.
            try expect(2...3, #"["attr","image.width","ge",1920]"#)
            guard let attribute = operands[0].view.stringValue,
                ManifestWords.isDottedName(attribute)
            else { throw operands[0].mustBe("the name of an attribute, such as \"image.width\"") }
            guard operands[1].view.stringValue != nil else {
                throw operands[1].mustBe("a comparison, such as \"ge\"")
            }
        }
    }

    private func expect(_ counts: ClosedRange<Int>, _ example: String) throws(ManifestFault) {
        guard counts.contains(operands.count) else {
            let has = operands.count == 1 ? "1 operand" : "\(operands.count) operands"
            throw condition.fault("'\(condition.path)' has \(has); right is \(example)")
        }
    }

    /// A text, or an array of texts.
    private func texts(
        _ right: String, where isRight: (String) -> Bool
    ) throws(ManifestFault) {
        let operand = operands[0]
        let all =
            operand.view.kind == .array
            ? try operand.elements(0...ManifestCondition.mostConditions, right) : [operand]
        for one in all {
            guard let text = one.view.stringValue, isRight(text) else { throw one.mustBe(right) }
        }
    }

    private func pattern() throws(ManifestFault) {
        guard operands[0].view.stringValue != nil else {
            throw operands[0].mustBe("a pattern, such as \"*.txt\"")
        }
    }

    private func comparison(_ known: [String]) throws(ManifestFault) {
        guard let name = operands[0].view.stringValue, known.contains(name) else {
            throw operands[0].mustBe("one of " + known.joined(separator: ", "))
        }
    }

    /// Whether a list takes the text as a media type; "f" is every file.
    private static func isType(_ text: String) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        return text == "f"
            || parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && parts[0] != "*"
                && !text.contains(" ")
    }
}
