@testable import ExactStatistics

/// A sum of `Double`s without any rounding, in the simplest way: its positive and its negative parts apart.
struct PlainSum {
    private var positive = Natural.zero
    private var negative = Natural.zero

    mutating func add(_ value: Double) {
        if value < 0 {
            negative = negative + Natural(value)
        } else {
            positive = positive + Natural(value)
        }
    }

    /// The distance of the sum from a number times a count.
    func distance(to value: Double, times count: Int = 1) -> Natural {
        let product = Natural(value).times(UInt64(count))
        return value < 0
            ? Natural.distance(positive + product, negative)
            : Natural.distance(negative + product, positive)
    }

    /// Whether no `Double` is closer to the sum divided by a count.
    func isNearest(_ value: Double, dividingBy count: Int = 1) -> Bool {
        let distance = distance(to: value, times: count)
        return [value.nextUp, value.nextDown].allSatisfy { neighbour in
            guard neighbour.isFinite else { return true }
            let other = self.distance(to: neighbour, times: count)
            let isEven = value.significandBitPattern.isMultiple(of: 2)
            return isEven ? distance <= other : distance < other
        }
    }
}
