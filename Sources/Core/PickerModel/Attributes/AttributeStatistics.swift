package import ExactStatistics

/// The values of an attribute that documents have: how many, and of numbers and times their sum, mean and extremes; all
/// of them exact.
package struct AttributeStatistics: Hashable, Sendable {
    package let attribute: Attribute
    /// The documents that have a value.
    package let count: Int
    package let numbers: Numbers

    package enum Numbers: Hashable, Sendable {
        case integers(Statistics<Int64>)
        /// Numbers or times; the sum is infinite beyond the greatest number.
        case reals(sum: Double, mean: Double?, Extremes<Double>)
        /// Texts and booleans are only counted.
        case none
    }
}

/// Running sums of the values of an attribute, as a column stores them.
struct AttributeTally {
    /// The steps of one value: the most for a value that moves those next to an extreme.
    static let steps = 16

    let attribute: Attribute
    private var count = 0
    private var integers = ExactMean<Int64>()
    private var reals = ExactFloatSum()
    /// Words sort like the values.
    private var ends = BoundedExtremes<UInt64>()

    init(of attribute: Attribute) {
        self.attribute = attribute
    }

    /// Whether there is a summary: not once so many of the least or greatest have been removed that the others must be
    /// read again.
    var isKnown: Bool { ends.isKnown }

    mutating func add(_ value: UInt64?) {
        guard let value else { return }
        count += 1
        switch AttributeValue(word: value, attribute.kind) {
        case .integer(let number)?: integers.add(number)
        case .number(let number)?, .time(let number)?: reals.add(number)
        case .boolean?, .text?, nil: return
        }
        ends.add(value)
    }

    mutating func remove(_ value: UInt64?) {
        guard let value else { return }
        count -= 1
        switch AttributeValue(word: value, attribute.kind) {
        case .integer(let number)?: integers.remove(number)
        case .number(let number)?, .time(let number)?: reals.remove(number)
        case .boolean?, .text?, nil: return
        }
        ends.remove(value)
    }

    /// - Precondition: it is known.
    var summary: AttributeStatistics {
        AttributeStatistics(attribute: attribute, count: count, numbers: numbers)
    }

    private var numbers: AttributeStatistics.Numbers {
        let bounds = ends.bounds.map { [$0.least, $0.greatest] } ?? []
        let values = bounds.compactMap { AttributeValue(word: $0, attribute.kind) }
        switch attribute.kind {
        case .integer:
            let ends = values.compactMap { if case .integer(let value) = $0 { value } else { nil } }
            return .integers(Statistics(mean: integers, extremes: Extremes(ends)))
        case .number, .time:
            let ends = values.compactMap { value -> Double? in
                switch value {
                case .number(let value), .time(let value): value
                default: nil
                }
            }
            return .reals(sum: reals.value, mean: reals.mean, Extremes(ends))
        case .boolean, .text: return .none
        }
    }
}
