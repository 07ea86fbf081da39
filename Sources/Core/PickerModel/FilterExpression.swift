/// What a client asks of documents beside their names' text: a tree of conditions.
///
/// It is the wire's `where`, checked: texts are bytes, so that equal expressions mean the same, and
/// patterns are compiled.
package indirect enum FilterExpression: Hashable, Sendable {
    /// How a number is compared.
    package enum Comparison: String, CaseIterable, Sendable {
        case equal = "eq"
        case notEqual = "ne"
        case greater = "gt"
        case atLeast = "ge"
        case less = "lt"
        case atMost = "le"

        @inline(__always)
        func holds<Value: Comparable>(_ left: Value, _ right: Value) -> Bool {
            switch self {
            case .equal: left == right
            case .notEqual: left != right
            case .greater: left > right
            case .atLeast: left >= right
            case .less: left < right
            case .atMost: left <= right
            }
        }
    }

    /// Every document.
    case everything
    /// All of them; of none, every document.
    case all([FilterExpression])
    /// At least one of them; of none, no document.
    case any([FilterExpression])
    case not(FilterExpression)
    /// The name ends in a dot and one of these, whatever the case of the letters A to Z. They are in
    /// lower case.
    case suffix([[UInt8]])
    /// The name is one of these, byte by byte.
    case name([[UInt8]])
    case glob(Glob)
    case size(Comparison, UInt64)
    /// In seconds since 1970, as clients are told them.
    case modified(Comparison, Double)
    case liked
    case dropped

    /// Whether it asks anywhere what is dropped.
    var mentionsDropped: Bool {
        switch self {
        case .dropped: true
        case .all(let parts), .any(let parts): parts.contains { $0.mentionsDropped }
        case .not(let part): part.mentionsDropped
        default: false
        }
    }

    /// The conditions that must all hold for this one to hold.
    func collectConjuncts(into conjuncts: inout Set<FilterExpression>) {
        switch self {
        case .everything: break
        case .all(let parts): for part in parts { part.collectConjuncts(into: &conjuncts) }
        default: conjuncts.insert(self)
        }
    }
}
