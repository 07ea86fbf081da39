import Observables

extension Graph {
    /// Adds a set node of a random kind.
    func addSet(_ random: inout Seeded) {
        switch random.below(8) {
        case 6: addJoin(&random)
        case 7: addKeyed(&random)
        case 0: addSetFilter(&random)
        case 1: addSetAlgebra(&random)
        case 2: addSetEach(&random)
        case 3: addSetOfArray(&random)
        case 4: addGroup(&random)
        default: addSetSwitch(&random)
        }
    }

    private func addSetFilter(_ random: inout Seeded) {
        let input = anySet(&random)
        let bound = anyScalar(&random)
        let offer = someScalars(&random)
        switch random.below(3) {
        case 0:
            add(
                input.node.filter(where: bound.node.map { bound in { $0 >= bound } })
                    .map { $0 / 2 }
            ) { _, values in
                Set(
                    values.set(input.index).filter { $0 >= values.scalar(bound.index) }
                        .map { $0 / 2 })
            }
        case 1:
            add(
                input.node.filter { element in
                    offer[element].node.map { ($0 + element) % 2 == 0 }
                }
            ) { _, values in
                values.set(input.index).filter {
                    (values.scalar(offer[$0].index) + $0) % 2 == 0
                }
            }
        default: add(input.node.buffered()) { _, values in values.set(input.index) }
        }
    }

    private func addSetAlgebra(_ random: inout Seeded) {
        let left = anySet(&random)
        let right = anySet(&random)
        let third = anySet(&random)
        let list = anyArray(&random)
        let offer = someSets(&random)
        switch random.below(7) {
        case 0:
            add(left.node.union(right.node)) { _, values in
                values.set(left.index).union(values.set(right.index))
            }
        case 1:
            add(left.node.intersection(right.node)) { _, values in
                values.set(left.index).intersection(values.set(right.index))
            }
        case 2:
            add(left.node.subtracting(right.node)) { _, values in
                values.set(left.index).subtracting(values.set(right.index))
            }
        case 3:
            add(left.node.symmetricDifference(right.node)) { _, values in
                values.set(left.index).symmetricDifference(values.set(right.index))
            }
        case 4:
            add(.union(of: [left.node, right.node, third.node])) { _, values in
                values.set(left.index).union(values.set(right.index))
                    .union(values.set(third.index))
            }
        case 5:
            add(.union(of: list.node.map { offer[$0].node })) { _, values in
                Set(values.array(list.index).flatMap { values.set(offer[$0].index) })
            }
        default:
            add(.intersection(of: list.node.map { offer[$0].node })) { _, values in
                let sets = values.array(list.index).map { values.set(offer[$0].index) }
                return sets.dropFirst().reduce(sets.first ?? []) { $0.intersection($1) }
            }
        }
    }

    private func addSetEach(_ random: inout Seeded) {
        let input = anySet(&random)
        if random.below(2) == 0 {
            let offer = someScalars(&random)
            add(input.node.selectEach { offer[$0].node }) { _, values in
                Set(values.set(input.index).map { values.scalar(offer[$0].index) })
            }
        } else {
            let offer = someSets(&random)
            let isFresh = random.below(2) == 0
            add(
                input.node.selectEach { isFresh ? offer[$0].node.buffered() : offer[$0].node }
            ) { _, values in
                Set(values.set(input.index).flatMap { values.set(offer[$0].index) })
            }
        }
    }

    private func addSetOfArray(_ random: inout Seeded) {
        let input = anyArray(&random)
        add(input.node.distinctUnion()) { _, values in Set(values.array(input.index)) }
    }

    private func addGroup(_ random: inout Seeded) {
        let input = anySet(&random)
        let groups = input.node.grouped { $0 % 3 }
        switch random.below(5) {
        case 3:
            // The group of an observable key.
            let offer = someScalars(&random)
            let key = anyScalar(&random)
            let groups = input.node.grouped { element in offer[element].node.map { $0 % 3 } }
            let group = key.node.flatMap { groups.observable(forKey: $0 % 3) }
            add(group.flatMap { $0 ?? .constant([]) }) { _, values in
                values.set(input.index).filter {
                    values.scalar(offer[$0].index) % 3 == values.scalar(key.index) % 3
                }
            }
        case 4:
            // The children of an element in a tree, or its roots.
            let tree = input.node.tree(id: { $0 }, parent: { $0 % 2 == 0 ? nil : $0 / 2 })
            func parent(_ element: Int) -> Int? { element % 2 == 0 ? nil : element / 2 }
            let key = anyScalar(&random)
            if random.below(2) == 0 {
                add(tree.roots) { _, values in
                    let all = values.set(input.index)
                    return all.filter { element in
                        parent(element).map { !all.contains($0) } ?? true
                    }
                }
            } else {
                add(key.node.flatMap { tree.children(of: $0) }) { _, values in
                    values.set(input.index).filter {
                        parent($0) == values.scalar(key.index)
                    }
                }
            }
        case 0:
            add(groups.keys) { _, values in Set(values.set(input.index).map { $0 % 3 }) }
        case 1:
            let key = anyScalar(&random)
            let group = key.node.flatMap { groups.observable(forKey: $0 % 3) }
            add(group.flatMap { $0 ?? .constant([]) }) { _, values in
                values.set(input.index).filter { $0 % 3 == values.scalar(key.index) % 3 }
            }
        default:
            // The entries with their values.
            add(
                groups.keys.selectEach { key in
                    groups.observable(forKey: key).flatMap { $0 ?? .constant([]) }
                }
            ) { _, values in values.set(input.index) }
        }
    }

    private func addSetSwitch(_ random: inout Seeded) {
        let chooser = anyScalar(&random)
        let offer = someSets(&random)
        let isFresh = random.below(2) == 0
        add(
            chooser.node.flatMap { isFresh ? offer[$0].node.buffered() : offer[$0].node }
        ) { _, values in
            values.set(offer[values.scalar(chooser.index)].index)
        }
    }
}
