internal import JSONText
package import WireProtocol

/// The number, sizes and times of documents: `documents.stats`.
///
/// All values are exact. Values that do not exist without documents are nil.
public struct DocumentStats: Hashable, Sendable {
    /// Sum, mean, smallest and largest size, in bytes.
    public struct Sizes: Hashable, Sendable {
        /// All sizes together.
        public let sum: UInt128
        /// The mean, rounded to the nearest byte, with ties to even.
        public let mean: UInt64?
        /// The least.
        public let min: UInt64?
        /// The greatest.
        public let max: UInt64?
    }

    /// Times of the last changes of content, in seconds since 1970.
    public struct Times: Hashable, Sendable {
        /// The mean, rounded to the nearest nanosecond and then to a `Double`.
        public let mean: Double?
        /// The first.
        public let min: Double?
        /// The last.
        public let max: Double?
    }

    /// The number of documents.
    public let count: Int
    /// Their sizes.
    public let size: Sizes
    /// The times of their last changes.
    public let modified: Times

    package init(_ record: StatisticsRecord) {
        count = record.count
        // None of these is above the largest size.
        size = Sizes(
            sum: record.size.sum.value, mean: record.size.mean.map { UInt64(clamping: $0.value) },
            min: record.size.min.map { UInt64(clamping: $0.value) },
            max: record.size.max.map { UInt64(clamping: $0.value) })
        modified = Times(
            mean: record.modified.mean, min: record.modified.min, max: record.modified.max)
    }
}

extension DaemonRequest<DocumentStats> {
    /// Statistics of the documents that a query selects: `documents.stats`.
    ///
    /// - Parameter query: its search and its filter select, by default all documents; its order and its
    ///   window make no difference.
    /// - Returns: the request.
    public static func stats(_ query: ListQuery = ListQuery()) -> DaemonRequest {
        var parameters = JSONObject()
        let all = query.parameters
        for name in ["search", "match", "where"] { parameters[name] = all[name] }
        return DaemonRequest("documents.stats", RawJSON(parameters), as: StatisticsRecord.self) {
            DocumentStats($0)
        }
    }
}
