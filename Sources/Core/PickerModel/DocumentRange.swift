/// The documents that a list covers: dropped ones only if the filter asks for them.
package enum DocumentRange: Hashable, CaseIterable, Sendable {
    /// All but the dropped ones.
    case listed
    /// The dropped ones.
    case dropped
    case all

    /// The range of a list with this filter; nil means no filter.
    package init(of filter: DocumentFilter?) { self = filter?.range ?? .listed }

    /// The range that the expression can match. An expression without `dropped` covers the listed documents.
    init(of expression: FilterExpression, _ conjuncts: Set<FilterExpression>) {
        if !expression.mentionsDropped || conjuncts.contains(.not(.dropped)) {
            self = .listed
        } else {
            self = conjuncts.contains(.dropped) ? .dropped : .all
        }
    }
}
