import Observables

extension Graph {
    /// Adds a set of the entries of two joined dictionaries.
    func addJoin(_ random: inout Seeded) {
        let left = anySet(&random)
        let right = anySet(&random)
        let lefts = left.node.keyed { $0 % 1_000 + $0 / 1_000 * 1_000 }
        let rights = right.node.keyed { $0 }.mapValues { $0 / 2 }
        func values(_ dictionary: ObservableDictionary<Int, Int>) -> ObservableSet<Int> {
            dictionary.entries.map { ($0.key + 3 * $0.value) % 50 }
        }
        func expected(
            _ values: [Value], _ combine: @escaping (Int, Int?, Int?) -> Int?
        ) -> Set<Int> {
            let (lefts, rights) = (values.set(left.index), values.set(right.index))
            return Set(
                lefts.union(rights).compactMap { key in
                    combine(
                        key, lefts.contains(key) ? key : nil, rights.contains(key) ? key / 2 : nil
                    ).map { (key + 3 * $0) % 50 }
                })
        }
        switch random.below(4) {
        case 0:
            add(values(lefts.join(rights) { key, left, right in key + left - right })) {
                expected($1) { key, left, right in
                    if let left, let right { key + left - right } else { nil }
                }
            }
        case 1:
            add(values(lefts.leftJoin(rights) { _, left, right in left + (right ?? 7) })) {
                expected($1) { _, left, right in left.map { $0 + (right ?? 7) } }
            }
        case 2:
            add(values(lefts.fullJoin(rights) { _, left, right in (left ?? 5) - (right ?? 7) })) {
                expected($1) { _, left, right in (left ?? 5) - (right ?? 7) }
            }
        default:
            add(values(lefts.merging(rights, uniquingKeysWith: *))) {
                expected($1) { _, left, right in
                    if let left, let right { left * right } else { left ?? right }
                }
            }
        }
    }

    /// Adds a set of a dictionary's values by key, each with an observable, or filtered.
    func addKeyed(_ random: inout Seeded) {
        let input = anySet(&random)
        let bound = anyScalar(&random)
        let offer = someScalars(&random)
        let keyed = input.node.keyed { $0 }
        switch random.below(3) {
        case 0:
            let isFresh = random.below(2) == 0
            let fields = keyed.selectEach { isFresh ? offer[$0].node.map { $0 } : offer[$0].node }
            add(fields.entries.map { ($0.key + $0.value) % 50 }) { _, values in
                Set(values.set(input.index).map { ($0 + values.scalar(offer[$0].index)) % 50 })
            }
        case 1:
            let filtered = keyed.filter(
                where: bound.node.map { bound in { key, _ in key >= bound } })
            add(filtered.keys) { _, values in
                values.set(input.index).filter { $0 >= values.scalar(bound.index) }
            }
        default:
            // A join by a key of each element.
            let other = anySet(&random)
            let names = other.node.keyed { $0 }
            add(
                input.node.selectEach { element in
                    names.observable(forKey: element / 2).map { $0 ?? -1 }
                }
            ) { _, values in
                let others = values.set(other.index)
                return Set(
                    values.set(input.index).map { others.contains($0 / 2) ? $0 / 2 : -1 })
            }
        }
    }
}
