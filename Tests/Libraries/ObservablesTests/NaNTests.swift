import Observables
import Testing

/// An element that is not equal to itself while its score is NaN.
private struct Scored: Equatable {
    let name: String
    let score: Double
}

/// An element with a score that changes.
private final class Scorer: Equatable {
    let score: Variable<Double>
    init(_ score: Double) { self.score = Variable(score) }
    static func == (left: Scorer, right: Scorer) -> Bool { left === right }
}

@Suite struct NaNTests {
    @Test("Elements not equal to themselves can be removed from a sorted array", arguments: 0..<20)
    func removal(seed: Int) {
        var random = Seeded(seed)
        let numbers = ArrayVariable<Double>([1, .nan])
        let sorted = numbers.sorted()
        var copy = sorted.value
        let connection = sorted.connect { $0.apply(on: &copy) }
        numbers.remove(at: 1)
        #expect(copy == [1])
        for _ in 0..<200 {
            let isFull = numbers.count > 30
            if !isFull, random.below(5) < 3 {
                let number = random.below(3) == 0 ? Double.nan : Double(random.below(9))
                numbers.insert(number, at: random.below(numbers.count + 1))
            } else if numbers.count > 0 {
                numbers.remove(at: random.below(numbers.count))
            }
            let expected = numbers.value
            #expect(
                copy.count == expected.count
                    && copy.filter(\.isNaN).count == expected.filter(\.isNaN).count
                    && copy.filter { !$0.isNaN }.sorted() == expected.filter { !$0.isNaN }.sorted(),
                "seed \(seed)")
        }
        connection.disconnect()
    }

    @Test("Of several elements not equal to themselves, the right one is removed")
    func identity() {
        let rows = ArrayVariable(["a", "b", "c", "d"].map { Scored(name: $0, score: .nan) })
        let sorted = rows.sorted { $0.score < $1.score }
        let connection = sorted.connect { _ in }
        rows.remove(at: 2)
        rows.remove(at: 0)
        #expect(Set(sorted.value.map(\.name)) == ["b", "d"])
        connection.disconnect()
    }

    @Test("Elements sorted by a field may become NaN, and be removed")
    func fields() {
        var random = Seeded(7)
        let scorers = (0..<12).map { Scorer(Double($0)) }
        let elements = ArrayVariable(scorers)
        let sorted = elements.sorted { $0.score }
        let connection = sorted.connect { _ in }
        for _ in 0..<300 {
            let scorer = scorers[random.below(scorers.count)]
            scorer.score.value = random.below(3) == 0 ? .nan : Double(random.below(20))
            if random.below(4) == 0, let index = elements.value.firstIndex(of: scorer) {
                elements.remove(at: index)
                elements.append(scorer)
            }
            #expect(sorted.count == 12)
        }
        connection.disconnect()
    }
}
