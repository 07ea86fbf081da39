/// The documents that a list covers: those of some collections, and dropped ones only if the filter asks for them.
package struct DocumentRange: Hashable, Sendable {
    /// Which of them, by their marks.
    package enum Part: Hashable, Sendable {
        /// All but the dropped ones.
        case listed
        /// The dropped ones.
        case dropped
        case all
    }

    package let part: Part
    package let collections: CollectionSet

    package init(_ part: Part, of collections: CollectionSet = .documents) {
        self.part = part
        self.collections = collections
    }

    /// All documents of the roots but the dropped ones.
    package static let listed = Self(.listed)
    /// The dropped ones.
    package static let dropped = Self(.dropped)
    package static let all = Self(.all)

    /// The range of a list with this filter; nil means no filter.
    package init(of filter: DocumentFilter?, in collections: CollectionSet = .documents) {
        self.init(filter?.range.part ?? .listed, of: collections)
    }

    /// The range that the expression can match. An expression without `dropped` covers the listed documents.
    init(of expression: FilterExpression, _ conjuncts: Set<FilterExpression>) {
        if !expression.mentionsDropped || conjuncts.contains(.not(.dropped)) {
            self.init(.listed)
        } else {
            self.init(conjuncts.contains(.dropped) ? .dropped : .all)
        }
    }
}

/// The ranges of the documents of the roots.
extension DocumentRange: CaseIterable {
    package static let allCases: [Self] = [.listed, .dropped, .all]
}
