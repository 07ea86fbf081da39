/// An error in a client's request for a list.
package enum PickerModelError: Error, Hashable, Sendable {
    case searchTooLong(bytes: Int, limit: Int)
    /// An unknown sort key and its index in the array.
    case unknownSortKey(String, index: Int)
    /// Sorting by `score`, which requires a fuzzy search.
    case scoreNotSupported(index: Int)
    case emptySortOrder
    case windowOutOfRange(String)
    /// An invalid glob pattern, or one that can never match, and the reason.
    case badPattern(String)
}

extension PickerModelError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .searchTooLong(let bytes, let limit):
            "the search text has \(bytes) bytes; at most \(limit) can be searched for"
        case .unknownSortKey(let key, let index):
            """
            unknown sort key '\(key)' at index \(index); known are \(SortOrder.knownKeys), \
            each with '-' in front for the reverse; 'date' is the latest first
            """
        case .scoreNotSupported(let index):
            """
            sort key 'score' at index \(index) needs a fuzzy search (match: "fuzzy"), \
            this list has none; sort by \(SortOrder.knownKeys)
            """
        case .emptySortOrder:
            "the sort order is an empty array; name at least one of \(SortOrder.knownKeys)"
        case .windowOutOfRange(let reason), .badPattern(let reason):
            reason
        }
    }
}
