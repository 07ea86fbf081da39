import Observables

extension Graph {
    /// Adds a scalar node of a random kind.
    func addScalar(_ random: inout Seeded) {
        switch random.below(5) {
        case 0: addScalarOfScalars(&random)
        case 1: addFold(&random)
        case 2: addScalarOfSet(&random)
        case 3: addScalarOfArray(&random)
        default: addScalarSwitch(&random)
        }
    }

    private func addScalarOfScalars(_ random: inout Seeded) {
        let left = anyScalar(&random)
        let right = anyScalar(&random)
        let third = anyScalar(&random)
        switch random.below(7) {
        case 5:
            add((1 - left.node * 2).map { $0 % 50 }) { _, values in
                (1 - values.scalar(left.index) * 2) % 50
            }
        case 0: add(left.node.map { $0 / 2 }) { _, values in values.scalar(left.index) / 2 }
        case 1:
            add((left.node + right.node).map { $0 % 50 }) { _, values in
                (values.scalar(left.index) + values.scalar(right.index)) % 50
            }
        case 2:
            add(min(left.node, right.node)) { _, values in
                min(values.scalar(left.index), values.scalar(right.index))
            }
        case 3:
            add(left.node.combined(right.node, third.node) { $0 < $1 ? $2 : $0 }) { _, values in
                values.scalar(left.index) < values.scalar(right.index)
                    ? values.scalar(third.index) : values.scalar(left.index)
            }
        case 4:
            add(
                left.node.combined(right.node, third.node).map {
                    (one: Int, two: Int, three: Int) in (one + two - three) % 50
                }
            ) { _, values in
                (values.scalar(left.index) + values.scalar(right.index)
                    - values.scalar(third.index)) % 50
            }
        default:
            add(left.node.distinct(by: ==).buffered()) { _, values in values.scalar(left.index) }
        }
    }

    private func addFold(_ random: inout Seeded) {
        let input = anyArray(&random)
        switch random.below(5) {
        case 0:
            add(input.node.sum().map { $0 % 50 }) { _, values in
                values.array(input.index).reduce(0, +) % 50
            }
        case 1:
            add(input.node.observableCount { $0 % 2 == 0 }) { _, values in
                values.array(input.index).count { $0 % 2 == 0 }
            }
        case 2:
            add(input.node.observableMin.map { $0 ?? -1 }) { _, values in
                values.array(input.index).min() ?? -1
            }
        case 3:
            add(input.node.observableMax.map { $0 ?? -1 }) { _, values in
                values.array(input.index).max() ?? -1
            }
        default:
            add(input.node.reduce(0, add: { $0 ^ $1 }, remove: { $0 ^ $1 })) { _, values in
                values.array(input.index).reduce(0, ^)
            }
        }
    }

    private func addScalarOfArray(_ random: inout Seeded) {
        let input = anyArray(&random)
        let scalar = anyScalar(&random)
        switch random.below(7) {
        case 5:
            let sorted = input.node.sorted()
            add(
                sorted.observableLowerBound(where: scalar.node.map { least in { $0 >= least } })
            ) { _, values in
                values.array(input.index).count { $0 < values.scalar(scalar.index) }
            }
        case 0:
            add(input.node.observableCount) { _, values in values.array(input.index).count }
        case 1:
            add(input.node.observableFirst.map { $0 ?? -1 }) { _, values in
                values.array(input.index).first ?? -1
            }
        case 2:
            add(input.node.observableLast.map { $0 ?? -1 }) { _, values in
                values.array(input.index).last ?? -1
            }
        case 3:
            add(input.node.observable(at: scalar.node).map { $0 ?? -1 }) { _, values in
                let index = values.scalar(scalar.index)
                let rows = values.array(input.index)
                return rows.indices.contains(index) ? rows[index] : -1
            }
        case 4:
            add(input.node.observableIsEmpty.map { $0 ? 1 : 0 }) { _, values in
                values.array(input.index).isEmpty ? 1 : 0
            }
        default:
            let anchor = scalar.node.map { Optional($0) }
            add(input.node.observableIndex(of: anchor).map { $0 ?? -1 }) { _, values in
                values.array(input.index).firstIndex(of: values.scalar(scalar.index)) ?? -1
            }
        }
    }

    private func addScalarOfSet(_ random: inout Seeded) {
        let input = anySet(&random)
        let scalar = anyScalar(&random)
        switch random.below(6) {
        case 4:
            let two = input.node.observableContains(2).map { $0 ? 1 : 0 }
            add((scalar.node + two).map { $0 % 50 }) { _, values in
                (values.scalar(scalar.index) + (values.set(input.index).contains(2) ? 1 : 0)) % 50
            }
        case 0: add(input.node.observableCount) { _, values in values.set(input.index).count }
        case 1:
            add(input.node.observableContains(scalar.node).map { $0 ? 1 : 0 }) { _, values in
                values.set(input.index).contains(values.scalar(scalar.index)) ? 1 : 0
            }
        case 2:
            add(input.node.sum().map { $0 % 50 }) { _, values in
                values.set(input.index).reduce(0, +) % 50
            }
        case 3:
            add(
                input.node.reduce(
                    into: [Int: Int](), add: { $0[$1, default: 0] += 1 },
                    remove: { $0[$1] = nil }, giving: { $0.keys.max() ?? -1 })
            ) { _, values in values.set(input.index).max() ?? -1 }
        default:
            add(input.node.observableMax.map { $0 ?? -1 }) { _, values in
                values.set(input.index).max() ?? -1
            }
        }
    }

    private func addScalarSwitch(_ random: inout Seeded) {
        let chooser = anyScalar(&random)
        let offer = someScalars(&random)
        let isFresh = random.below(2) == 0
        add(
            // Created each time, the chosen node is activated during a settling.
            chooser.node.flatMap { isFresh ? offer[$0].node.map { $0 } : offer[$0].node }
        ) { _, values in
            values.scalar(offer[values.scalar(chooser.index)].index)
        }
    }
}
