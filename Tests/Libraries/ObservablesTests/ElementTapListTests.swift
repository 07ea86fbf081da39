import Testing

@testable import Observables

@Suite struct ElementTapListTests {
    private typealias Entry = ElementTap<Int, ScalarNode<Int>>

    @Test("A list of taps behaves as an array of weights", arguments: 0..<150)
    func weights(seed: Int) {
        var random = Seeded(seed)
        let owner = ConstantScalarNode(0)
        let collector = ElementTapCollector<Int, ScalarNode<Int>>(owner: owner)
        let field = ConstantScalarNode(0)
        var next = 0
        func make(_ count: Int) -> [Entry] {
            (0..<count).map { _ in
                next += 1
                return Entry(next, field, collector)
            }
        }
        var model: [(tap: Entry, weight: Int)] = make(random.below(40)).map {
            ($0, random.below(4))
        }
        var list = ElementTapList(model.map(\.tap), weights: model.map(\.weight))
        for _ in 0..<80 {
            if random.below(3) == 0, let index = model.indices.randomElement(using: &random) {
                model[index].weight = random.below(4)
                list.setWeight(model[index].weight, of: model[index].tap)
            } else {
                let start = random.below(model.count + 1)
                let end = start + random.below(min(random.below(25) + 1, model.count - start + 1))
                let new = make(random.below(random.below(3) == 0 ? 30 : 3)).map {
                    (tap: $0, weight: random.below(4))
                }
                for (tap, _) in model[start..<end] { tap.chunk = nil }
                model.replaceSubrange(start..<end, with: new)
                list.replaceSubrange(start..<end, with: new.map(\.tap), weights: new.map(\.weight))
            }
            list.checkInvariants()
            let total = model.reduce(0) { $0 + $1.weight }
            #expect(list.count == model.count && list.weight == total, "seed \(seed)")
            let position = random.below(model.count + 1)
            let before = model[..<position].reduce(0) { $0 + $1.weight }
            #expect(list.weight(before: position) == before, "seed \(seed)")
            #expect(
                list.taps(in: position..<model.count).map(\.element)
                    == model[position...].map(\.tap.element), "seed \(seed)")
            if position < model.count {
                let place = list.place(of: model[position].tap)
                #expect(place.position == position && place.weight == before, "seed \(seed)")
            }
            let rows = model.flatMap { entry in (0..<entry.weight).map { (entry.tap.element, $0) } }
            let lower = random.below(total + 1)
            let upper = lower + random.below(total - lower + 1)
            var found: [(Int, Int)] = []
            list.forEach(inRows: lower..<upper) { tap, part in
                for row in part { found.append((tap.element, row)) }
            }
            #expect(found.elementsEqual(rows[lower..<upper], by: ==), "seed \(seed)")
        }
    }
}
