/// An error in a client's request for a list.
package struct PickerModelError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The index of the sort key at fault; nil if the error is not about one.
    package private(set) var index: Int?
    /// What is wrong, and what would be right.
    package let description: String

    package static func searchTooLong(bytes: Int, limit: Int) -> Self {
        Self(
            description:
                "the search text has \(bytes) bytes; at most \(limit) can be searched for")
    }

    package static func unknownSortKey(_ key: String, index: Int) -> Self {
        Self(
            index: index,
            description: """
                unknown sort key '\(key)' at index \(index); known are \(SortOrder.knownKeys), \
                and the attributes that attributes.list tells, each with '-' in front for the reverse; 'date' is \
                the latest first
                """)
    }

    package static var emptySortOrder: Self {
        Self(
            description:
                "the sort order is an empty array; name at least one of \(SortOrder.knownKeys)")
    }

    /// A glob pattern that breaks the grammar, or can never match.
    package static func badPattern(_ reason: String) -> Self { Self(description: reason) }
}
