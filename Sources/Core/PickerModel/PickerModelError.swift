/// An error in a client's request for a list.
package struct PickerModelError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        case searchTooLong
        case unknownSortKey
        /// Sorting by `score`, which requires a fuzzy search.
        case scoreNotSupported
        case emptySortOrder
        case windowOutOfRange
        /// A glob pattern that breaks the grammar, or can never match.
        case badPattern
    }

    package let code: Code
    /// The index of the sort key at fault; nil if the error is not about one.
    package let index: Int?
    /// What is wrong, and what would be right.
    package let description: String

    private init(_ code: Code, at index: Int? = nil, _ description: String) {
        self.code = code
        self.index = index
        self.description = description
    }

    package static func searchTooLong(bytes: Int, limit: Int) -> Self {
        Self(
            .searchTooLong,
            "the search text has \(bytes) bytes; at most \(limit) can be searched for")
    }

    package static func unknownSortKey(_ key: String, index: Int) -> Self {
        Self(
            .unknownSortKey, at: index,
            """
            unknown sort key '\(key)' at index \(index); known are \(SortOrder.knownKeys), \
            each with '-' in front for the reverse; 'date' is the latest first
            """)
    }

    package static func scoreNotSupported(index: Int) -> Self {
        Self(
            .scoreNotSupported, at: index,
            """
            sort key 'score' at index \(index) needs a fuzzy search (match: "fuzzy"), \
            this list has none; sort by \(SortOrder.knownKeys)
            """)
    }

    package static var emptySortOrder: Self {
        Self(
            .emptySortOrder,
            "the sort order is an empty array; name at least one of \(SortOrder.knownKeys)")
    }

    package static func windowOutOfRange(_ reason: String) -> Self {
        Self(.windowOutOfRange, reason)
    }

    package static func badPattern(_ reason: String) -> Self { Self(.badPattern, reason) }
}
