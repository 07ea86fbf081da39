import Observables
import Testing

/// Counts the hashings of all instances, which measure set queries.
private final class Tally {
    var hashes = 0
}

private struct Counted: Hashable {
    let number: Int
    let tally: Tally

    static func == (left: Counted, right: Counted) -> Bool { left.number == right.number }
    func hash(into hasher: inout Hasher) {
        tally.hashes += 1
        hasher.combine(number)
    }
}

@Suite struct SetLayersTests {
    private typealias Sets = ObservableSet<Counted>

    /// The number of hashings when this many layers are read, connected and written to.
    private func cost(
        layers: Int, _ combine: (Sets, Sets) -> Sets
    ) -> (idle: Int, connecting: Int, change: Int, question: Int) {
        let tally = Tally()
        let set = SetVariable(Set((0..<10).map { Counted(number: $0, tally: tally) }))
        let other = SetVariable(Set((0..<100).map { Counted(number: $0, tally: tally) }))
        var result = set.observableSet
        for _ in 0..<layers { result = combine(result, result.intersection(other)) }
        func counting(_ body: () -> Void) -> Int {
            tally.hashes = 0
            body()
            return tally.hashes
        }
        let idle = counting { _ = result.count }
        var connection: Connection?
        let connecting = counting { connection = result.connect { _ in } }
        let change = counting { set.insert(Counted(number: 20, tally: tally)) }
        let question = counting { _ = result.contains(Counted(number: 3, tally: tally)) }
        #expect(result.value.count == 11)
        connection?.disconnect()
        return (idle, connecting, change, question)
    }

    @Test("Each layer of sets combined with themselves costs as much as the one before")
    func chain() {
        let few = cost(layers: 6) { $0.union($1) }
        let many = cost(layers: 18) { $0.union($1) }
        #expect(many.idle <= 4 * few.idle)
        #expect(many.connecting <= 4 * few.connecting)
        #expect(many.change <= 4 * few.change)
        #expect(many.question <= 2 * few.question + 8)
    }

    @Test("So does each layer of one set combined twice")
    func twice() {
        let few = cost(layers: 6) { left, _ in left.union(left) }
        let many = cost(layers: 18) { left, _ in left.union(left) }
        #expect(many.idle <= 4 * few.idle && many.connecting <= 4 * few.connecting)
        #expect(many.change <= 4 * few.change)
    }

    @Test("Layers of all kinds equal the standard library's sets", arguments: 0..<30)
    func meaning(seed: Int) {
        var random = Seeded(seed)
        let sources = (0..<3).map { _ in SetVariable(Set(random.array(limit: 6, alphabet: 9))) }
        var sets = sources.map(\.observableSet)
        var models: [() -> Set<Int>] = sources.map { source in { source.value } }
        for _ in 0..<12 {
            let (a, b) = (random.below(sets.count), random.below(sets.count))
            let (left, right) = (models[a], models[b])
            switch random.below(4) {
            case 0:
                sets.append(sets[a].union(sets[b]))
                models.append { left().union(right()) }
            case 1:
                sets.append(sets[a].intersection(sets[b]))
                models.append { left().intersection(right()) }
            case 2:
                sets.append(sets[a].subtracting(sets[b]))
                models.append { left().subtracting(right()) }
            default:
                sets.append(sets[a].symmetricDifference(sets[b]))
                models.append { left().symmetricDifference(right()) }
            }
        }
        let trials = zip(sets, models).map { Trial($0, $1) }
        for _ in 0..<60 {
            for trial in trials { trial.begin() }
            transaction {
                for source in sources where random.below(2) == 0 {
                    let number = random.below(9)
                    if random.below(2) == 0 { source.insert(number) } else { source.remove(number) }
                }
            }
            trials[random.below(trials.count)].toggle()
            for trial in trials { trial.check("seed \(seed)") }
        }
        for trial in trials { trial.disconnect() }
    }
}
