internal import JSONText
package import WireProtocol

/// The number, sizes and times of documents: `documents.stats`.
///
/// All values are exact. Values that do not exist without documents are nil.
public struct DocumentStats: Hashable, Sendable {
    /// Sum, mean, smallest and largest size, in bytes.
    public struct Sizes: Hashable, Sendable {
        /// All sizes together.
        public var sum: UInt128 { record.sum.value }
        /// The mean, rounded to the nearest byte, with ties to even.
        public var mean: UInt64? { Self.size(record.mean) }
        /// The least.
        public var min: UInt64? { Self.size(record.min) }
        /// The greatest.
        public var max: UInt64? { Self.size(record.max) }

        fileprivate let record: NumberStatistics

        /// None of these is above the largest size.
        private static func size(_ number: ExactInteger?) -> UInt64? {
            number.map { UInt64(clamping: $0.value) }
        }
    }

    /// Times of the last changes of content, in seconds since 1970.
    public struct Times: Hashable, Sendable {
        /// The mean, rounded to the nearest nanosecond and then to a `Double`.
        public var mean: Double? { record.mean }
        /// The first.
        public var min: Double? { record.min }
        /// The last.
        public var max: Double? { record.max }

        fileprivate let record: StatisticsRecord.Times
    }

    /// The number of documents.
    public var count: Int { record.count }
    /// Their sizes.
    public var size: Sizes { Sizes(record: record.size) }
    /// The times of their last changes.
    public var modified: Times { Times(record: record.modified) }

    package let record: StatisticsRecord

    package init(_ record: StatisticsRecord) { self.record = record }
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
        for name in ["search", "match", "where", "in"] { parameters[name] = all[name] }
        return DaemonRequest("documents.stats", RawJSON(parameters), as: StatisticsRecord.self) {
            DocumentStats($0)
        }
    }
}
