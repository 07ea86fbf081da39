/// A condition on the value of an attribute. Without a value none holds.
package struct AttributeTest: Hashable, Sendable {
    package enum Operation: Hashable, Sendable {
        /// By value; texts as names are sorted, and equal by their bytes.
        case comparison(FilterExpression.Comparison)
        /// The text contains another, without case and marks, as in searches.
        case contains
        /// The text begins with another, likewise.
        case prefix
        /// There is a value.
        case known
    }

    package let attribute: Attribute
    package let operation: Operation
    /// What the value is compared with; of the attribute's kind, unless the operation is `known`.
    package let operand: AttributeValue
    /// The operand as a number that sorts like it.
    private let word: UInt64
    private let folded: FoldedName

    /// - Returns: nil if the operation can't have such an operand.
    package init?(_ attribute: Attribute, _ operation: Operation, _ operand: AttributeValue) {
        switch operation {
        case .known:
            guard operand.kind == .boolean else { return nil }
        case .contains, .prefix:
            guard operand.kind == .text, attribute.kind == .text else { return nil }
        case .comparison:
            guard operand.kind == attribute.kind else { return nil }
        }
        self.attribute = attribute
        self.operation = operation
        self.operand = operand
        word = operand.word ?? 0
        if case .text(let text) = operand {
            folded = FoldedName(text)
        } else {
            folded = .empty
        }
    }

    /// The work of one test, in steps.
    var steps: Int { attribute.kind == .text ? 8 : 2 }

    func holds(_ row: Int, in columns: AttributeColumns) -> Bool {
        let stored = columns.stored(attribute, of: row)
        if operation == .known { return operand == .boolean(stored != nil) }
        guard let stored else { return false }
        if attribute.kind == .text {
            let entry = columns.texts[stored]
            return holds(entry.text, entry.folded)
        }
        return holds(stored)
    }

    /// The same for a value.
    func holds(_ value: AttributeValue?) -> Bool {
        if operation == .known { return operand == .boolean(value != nil) }
        guard let value, value.kind == attribute.kind else { return false }
        if case .text(let text) = value { return holds(text, FoldedName(text)) }
        return value.word.map { holds($0) } ?? false
    }

    private func holds(_ stored: UInt64) -> Bool {
        guard case .comparison(let comparison) = operation else { return false }
        return comparison.holds(stored, word)
    }

    private func holds(_ text: String, _ name: FoldedName) -> Bool {
        switch operation {
        case .known: return true
        case .contains:
            return folded.searchBytes.isEmpty || name.contains(Array(folded.searchBytes))
        case .prefix: return name.searchBytes.starts(with: folded.searchBytes)
        case .comparison(let comparison):
            if case .text(let other) = operand {
                switch comparison {
                case .equal: return text.hasBytes(of: other)
                case .notEqual: return !text.hasBytes(of: other)
                default: return comparison.holds(name.compareKey(folded), 0)
                }
            }
            return false
        }
    }

    package static func == (one: AttributeTest, other: AttributeTest) -> Bool {
        one.attribute == other.attribute && one.operation == other.operation
            && one.operand == other.operand
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(attribute)
        hasher.combine(operation)
        hasher.combine(operand)
    }
}
