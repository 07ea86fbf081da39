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

    /// The values of an attribute that documents have.
    public struct AttributeValues: Hashable, Sendable {
        /// The name of the attribute.
        public let name: String
        /// The documents that have a value.
        public var count: Int { record.count }
        /// Whether there is more than their number: not of texts and booleans.
        public var areNumbers: Bool { record.numbers != nil }
        /// Whether the values are times, in seconds since 1970.
        public var areTimes: Bool { record.numbers?.areTimes ?? false }
        /// All together, in digits if it is a whole number; nil for times, and beyond the greatest `Double`.
        public var sum: String? { Self.text(record.numbers?.sum) }
        /// The mean, rounded once.
        public var mean: Double? { record.numbers?.mean }
        /// The least.
        public var min: Double? { Self.value(record.numbers?.min) }
        /// The greatest.
        public var max: Double? { Self.value(record.numbers?.max) }

        fileprivate let record: ValueStatistics

        private static func value(_ number: ValueStatistics.Number?) -> Double? {
            switch number {
            case .integer(let value)?: Double(value)
            case .real(let value)?: value
            case nil: nil
            }
        }

        private static func text(_ number: ValueStatistics.Number?) -> String? {
            switch number {
            case .integer(let value)?: String(value)
            case .real(let value)?: "\(value)"
            case nil: nil
            }
        }
    }

    /// The number of documents.
    public var count: Int { record.count }
    /// Their sizes.
    public var size: Sizes { Sizes(record: record.size) }
    /// The times of their last changes.
    public var modified: Times { Times(record: record.modified) }

    /// The values of the attribute that was asked for; nil if none was.
    public var values: AttributeValues? {
        record.attributes.first.map { AttributeValues(name: $0.key, record: $0.value) }
    }
    /// The documents that were not read in time, by the attribute that is not known of them.
    public var pending: [String: Int] { record.pending }

    package let record: StatisticsRecord

    package init(_ record: StatisticsRecord) { self.record = record }
}

extension DaemonRequest<DocumentStats> {
    /// Statistics of the documents that a query selects: `documents.stats`.
    ///
    /// - Parameters:
    ///   - query: its search and its filter select, by default all documents; its order and its window make no
    ///     difference.
    ///   - attribute: an attribute whose values are wanted as well, such as `image.width`. The daemon answers when the
    ///     files have been read, or after ten seconds.
    /// - Returns: the request.
    public static func stats(
        _ query: ListQuery = ListQuery(), attribute: String? = nil
    ) -> DaemonRequest {
        var parameters = JSONObject()
        let all = query.parameters
        for name in ["search", "match", "where", "in"] { parameters[name] = all[name] }
        parameters["attribute"] = attribute.map { .string($0) }
        return DaemonRequest("documents.stats", RawJSON(parameters), as: StatisticsRecord.self) {
            DocumentStats($0)
        }
    }
}
