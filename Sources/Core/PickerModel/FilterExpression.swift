/// A client's filter: a tree of conditions, besides the search by name.
///
/// It is the validated `where` of the protocol: texts are bytes, so that equal expressions mean the same, and
/// patterns are compiled.
package indirect enum FilterExpression: Hashable, Sendable {
    /// The comparison of a number.
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
    /// All parts hold; true without parts.
    case all([FilterExpression])
    /// At least one part holds; false without parts.
    case any([FilterExpression])
    case not(FilterExpression)
    /// The name ends in a dot and one of these lower-case texts; case of A to Z is ignored.
    case suffix([[UInt8]])
    /// The name is one of these, byte by byte.
    case name([[UInt8]])
    case glob(Glob)
    /// The media type of the name is one of these.
    case type(MediaTypeSet)
    case size(Comparison, UInt64)
    /// In seconds since 1970, as in clients' records.
    case modified(Comparison, Double)
    case liked
    case dropped
    case attribute(AttributeTest)
    /// The name, or that of a folder on the way to it from the root, begins with a dot.
    case hidden
    /// The document has one of these keys.
    case keys(DocumentKeys)

    /// Whether it contains the condition `dropped`.
    var mentionsDropped: Bool {
        switch self {
        case .dropped: true
        case .all(let parts), .any(let parts): parts.contains { $0.mentionsDropped }
        case .not(let part): part.mentionsDropped
        default: false
        }
    }

    /// The attributes on which it depends.
    package var attributes: Set<Attribute> {
        switch self {
        case .attribute(let test): [test.attribute]
        case .all(let parts), .any(let parts):
            parts.reduce(into: []) { $0.formUnion($1.attributes) }
        case .not(let part): part.attributes
        default: []
        }
    }

    /// A condition that holds wherever this one may hold, and does not depend on attributes.
    package var withoutAttributes: FilterExpression {
        if attributes.isEmpty { return self }
        guard case .all(let parts) = self else { return .everything }
        return .all(parts.map(\.withoutAttributes))
    }

    /// Collects the conditions that must all hold for this one to hold.
    func collectConjuncts(into conjuncts: inout Set<FilterExpression>) {
        switch self {
        case .everything: break
        case .all(let parts): for part in parts { part.collectConjuncts(into: &conjuncts) }
        default: conjuncts.insert(self)
        }
    }
}
