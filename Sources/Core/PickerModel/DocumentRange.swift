/// Which documents a list looks at: what is dropped is in none that does not ask for it.
package enum DocumentRange: Hashable, CaseIterable, Sendable {
    /// All but those that are dropped.
    case listed
    /// Those that are dropped.
    case dropped
    case all

    /// What a list with this filter looks at; nil is no filter.
    package init(of filter: DocumentFilter?) { self = filter?.range ?? .listed }

    /// Of all documents those that the expression can keep. One that says nothing of what is dropped
    /// means what is listed.
    init(of expression: FilterExpression, _ conjuncts: Set<FilterExpression>) {
        if !expression.mentionsDropped || conjuncts.contains(.not(.dropped)) {
            self = .listed
        } else {
            self = conjuncts.contains(.dropped) ? .dropped : .all
        }
    }
}
