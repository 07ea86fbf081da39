// Statistics of the values of an attribute, in slices, while documents and values change.

import ExactStatistics
import Observables
import TestSupport
import Testing

@testable import PickerModel

@Suite struct AttributeStatisticsTests {
    /// A store with an attribute of each kind, all of which are wanted.
    private final class Bench {
        let store = DocumentStore(epoch: "e")
        private let use: AttributeUse
        private var names = 0

        init(count: Int) throws {
            let kinds = Attribute.Kind.allCases.map { (name: "a.\($0.rawValue)", kind: $0) }
            let directory = store.attributes
            directory.add(
                AttributeOffer(
                    plugin: "a", version: "1", group: "g", attributes: kinds, condition: nil))
            let attributes = kinds.compactMap { directory.attribute(named: $0.name) }
            use = try directory.use(
                AttributeWish(
                    shown: [], needed: Set(attributes), query: DocumentQuery(), range: .listed))
            add(count)
        }

        func attribute(_ kind: Attribute.Kind) throws -> Attribute {
            try #require(store.attributes.attribute(named: "a.\(kind.rawValue)"))
        }

        func add(_ count: Int) {
            store.apply(
                inserted: (0..<count).map { _ in
                    names += 1
                    return Document(
                        key: store.mintKey(), root: "/r", path: FileName("n\(names)"),
                        size: UInt64(names % 10), modified: FileTime(seconds: 0))
                })
        }

        /// Gives some documents other values, or takes these away.
        func give(_ attribute: Attribute, to count: Int, _ random: inout SeededRandom) throws {
            let all = store.documents.sorted { $0.key < $1.key }
            let some = all.shuffled(using: &random).prefix(count)
            let keys = try some.map { try #require(store.table.key($0.key)) }
            store.edit { edits in
                for key in keys {
                    let value =
                        random.chance(0.2)
                        ? nil : AttributeStatisticsTests.value(attribute.kind, &random)
                    edits.give([(attribute, value)], to: key)
                }
            }
        }

        func edit(_ attribute: Attribute, _ random: inout SeededRandom) throws {
            if random.chance(0.5) { try give(attribute, to: 3, &random) }
            if random.chance(0.2) { add(2) }
            if random.chance(0.2) {
                store.apply(removed: Array(store.documents.prefix(1)))
            }
            if random.chance(0.4) { store.releaseFreedRows() }
        }
    }

    private static func value(
        _ kind: Attribute.Kind, _ random: inout SeededRandom
    ) -> AttributeValue {
        switch kind {
        case .boolean: .boolean(random.chance(0.5))
        case .integer:
            .integer([0, 1, -1, .min, .max, 4000, .max - 1].randomElement(using: &random) ?? 0)
        case .number:
            .number([0, -1.5, .greatestFiniteMagnitude, 1e-300].randomElement(using: &random) ?? 0)
        case .time: .time(Double.random(in: -1e9...2e9, using: &random))
        case .text: .text(["", "a", "b"].randomElement(using: &random) ?? "")
        }
    }

    /// What documents have, in the simplest way.
    private func plain(
        _ documents: [Document], _ attribute: Attribute
    ) -> AttributeStatistics {
        let values = documents.compactMap { $0.attributes[attribute] }
        let integers = values.compactMap { if case .integer(let value) = $0 { value } else { nil } }
        let reals = values.compactMap { value -> Double? in
            switch value {
            case .number(let value), .time(let value): value
            default: nil
            }
        }
        let numbers: AttributeStatistics.Numbers =
            switch attribute.kind {
            case .integer: .integers(Statistics(integers))
            case .number, .time:
                .reals(
                    sum: CompensatedSum(reals).value, mean: CompensatedSum(reals).mean,
                    Extremes(reals))
            case .boolean, .text: .none
            }
        return AttributeStatistics(attribute: attribute, count: values.count, numbers: numbers)
    }

    /// Whether they are the same, but for what plain sums lose.
    private func isLike(_ one: AttributeStatistics, _ other: AttributeStatistics) -> Bool {
        guard one.attribute == other.attribute, one.count == other.count else { return false }
        guard case .reals(let sum, let mean, let ends) = one.numbers,
            case .reals(let otherSum, let otherMean, let otherEnds) = other.numbers
        else { return one.numbers == other.numbers }
        func isClose(_ one: Double?, _ other: Double?) -> Bool {
            guard let one, let other, other.isFinite, one.isFinite else {
                return (one == nil) == (other == nil)
            }
            return (one - other).magnitude <= 1e-9 * max(1, other.magnitude)
        }
        return ends == otherEnds && isClose(sum, otherSum) && isClose(mean, otherMean)
    }

    @Test(
        "whatever changes between the slices, they are those of the current documents",
        arguments: Attribute.Kind.allCases)
    func randomChanges(kind: Attribute.Kind) throws {
        try withSeed { random in
            for round in 0..<testRounds(12) {
                let bench = try Bench(count: 300)
                let attribute = try bench.attribute(kind)
                try bench.give(attribute, to: 250, &random)
                let query = DocumentQuery(
                    filter: random.chance(0.5) ? DocumentFilter(.size(.less, 5)) : nil)
                let survey = DocumentSurvey(
                    of: bench.store, in: .listed, for: query, keepsStatistics: true, of: attribute)
                while !survey.advance(budget: Int.random(in: 1...900, using: &random)) {
                    try bench.edit(attribute, &random)
                }
                for _ in 0..<5 {
                    let place = Comment(rawValue: "seed \(random.seed), round \(round)")
                    let found = bench.store.documents.filter { query.matches($0) }
                    let statistics = try #require(survey.statistics, place)
                    #expect(statistics == DocumentStatistics(of: found, attribute), place)
                    let values = try #require(statistics.attribute, place)
                    let expected = plain(found, attribute)
                    #expect(isLike(values, expected), "\(values) \(expected), \(place)")
                    try bench.edit(attribute, &random)
                }
            }
        }
    }

    @Test(
        "without an attribute there are no statistics of one, and without values there is no mean")
    func none() throws {
        let bench = try Bench(count: 3)
        let width = try bench.attribute(.integer)
        let documents = Array(bench.store.documents)
        #expect(DocumentStatistics(of: documents).attribute == nil)
        let values = try #require(DocumentStatistics(of: documents, width).attribute)
        #expect(values.count == 0 && values.numbers == .integers(Statistics()))
    }

    @Test(
        "each value costs steps, and a slice of 30,000 documents ends with the one that uses it up")
    func slices() throws {
        try withSeed { random in
            let bench = try Bench(count: 30_000)
            let attribute = try bench.attribute(.number)
            try bench.give(attribute, to: 1000, &random)
            let survey = DocumentSurvey(
                of: bench.store, in: .listed, for: DocumentQuery(), keepsStatistics: true,
                of: attribute)
            let without = DocumentSurvey(
                of: bench.store, in: .listed, for: DocumentQuery(), keepsStatistics: true)
            #expect(survey.stepsPerDocument > without.stepsPerDocument)
            var isDone = false
            var slices = 0
            while !isDone {
                let before = survey.stepsTaken
                isDone = survey.advance(budget: 4000)
                slices += 1
                #expect(survey.stepsTaken - before < 4000 + 2 * survey.stepsPerDocument)
            }
            #expect(slices >= 30_000 * survey.stepsPerDocument / 4000)
            #expect(survey.statistics?.attribute?.count ?? 0 > 500)
        }
    }
}
