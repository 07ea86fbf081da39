import Observables

extension Graph {
    /// Adds an array node of a random kind that has at most as many rows as its inputs together.
    func addArray(_ random: inout Seeded) {
        switch random.below(9) {
        case 0, 1: addFilter(&random)
        case 2: addMap(&random)
        case 3: addSorted(&random)
        case 4: addWindow(&random)
        case 5: addEach(&random)
        case 6: addSortedUsing(&random)
        case 7: addArrayOfSet(&random)
        default: addArraySwitch(&random)
        }
    }

    /// Adds an array node that may have more rows than its inputs.
    func addMultiplication(_ random: inout Seeded) {
        let left = anyArray(&random)
        let right = anyArray(&random)
        let offer = someArrays(&random)
        if random.below(2) == 0 {
            add(left.node + right.node) { _, values in
                values.array(left.index) + values.array(right.index)
            }
        } else {
            // At most three at a time.
            let isFresh = random.below(2) == 0
            add(
                left.node.window(0..<3).selectEach {
                    isFresh ? offer[$0].node.map { $0 } : offer[$0].node
                }
            ) { _, values in
                values.array(left.index).prefix(3).flatMap { values.array(offer[$0].index) }
            }
        }
    }

    private func addFilter(_ random: inout Seeded) {
        let input = anyArray(&random)
        let bound = anyScalar(&random)
        let offer = someScalars(&random)
        switch random.below(4) {
        case 0:
            add(
                input.node.filter { element in
                    offer[element].node.map { ($0 + element) % 2 == 0 }
                }
            ) { _, values in
                values.array(input.index).filter {
                    (values.scalar(offer[$0].index) + $0) % 2 == 0
                }
            }
        case 1:
            add(
                input.node.filter(by: bound.node, narrowing: >=, matches: { $1 >= $0 })
            ) { _, values in
                values.array(input.index).filter { $0 >= values.scalar(bound.index) }
            }
        default:
            add(
                input.node.filter(where: bound.node.map { bound in { $0 >= bound } })
            ) { _, values in
                values.array(input.index).filter { $0 >= values.scalar(bound.index) }
            }
        }
    }

    private func addMap(_ random: inout Seeded) {
        let input = anyArray(&random)
        switch random.below(6) {
        case 0: add(input.node.buffered()) { _, values in values.array(input.index) }
        case 1: add(input.node.reversed()) { _, values in values.array(input.index).reversed() }
        case 2:
            add(input.node.compactMap { $0 % 2 == 0 ? $0 / 2 : nil }) { _, values in
                values.array(input.index).compactMap { $0 % 2 == 0 ? $0 / 2 : nil }
            }
        case 3:
            // At most one row for each.
            add(input.node.flatMap { $0 % 3 == 0 ? [] : [$0 + 1] }) { _, values in
                values.array(input.index).flatMap { $0 % 3 == 0 ? [] : [$0 + 1] }
            }
        default:
            add(input.node.map { 3 - $0 }) { _, values in
                values.array(input.index).map { 3 - $0 }
            }
        }
    }

    private func addSorted(_ random: inout Seeded) {
        let input = anyArray(&random)
        let direction = anyScalar(&random)
        add(
            input.node.sorted(
                by: direction.node.map { number in
                    { number % 2 == 0 ? $0 < $1 : $0 > $1 }
                })
        ) { _, values in
            let isAscending = values.scalar(direction.index) % 2 == 0
            return values.array(input.index).sorted { isAscending ? $0 < $1 : $0 > $1 }
        }
    }

    private func addWindow(_ random: inout Seeded) {
        let input = anyArray(&random)
        let start = anyScalar(&random)
        let count = anyScalar(&random)
        let least = Observable.constant(0)
        switch random.below(3) {
        case 0:
            add(input.node.window(1..<4)) { _, values in
                Array(values.array(input.index).dropFirst().prefix(3))
            }
        case 1:
            add(
                input.node.window(start: max(start.node, least), count: max(count.node, least))
            ) { _, values in
                Array(
                    values.array(input.index).dropFirst(max(0, values.scalar(start.index)))
                        .prefix(max(0, values.scalar(count.index))))
            }
        default:
            add(
                input.node.window(fromEnd: max(start.node, least), count: max(count.node, least))
            ) { _, values in
                Array(
                    values.array(input.index).dropLast(max(0, values.scalar(start.index)))
                        .suffix(max(0, values.scalar(count.index))))
            }
        }
    }

    private func addEach(_ random: inout Seeded) {
        let input = anyArray(&random)
        let offer = someScalars(&random)
        let isFresh = random.below(2) == 0
        add(
            input.node.selectEach { isFresh ? offer[$0].node.map { $0 } : offer[$0].node }
        ) { _, values in
            values.array(input.index).map { values.scalar(offer[$0].index) }
        }
    }

    /// Sorted by a key that is equal only for equal elements.
    private func addSortedUsing(_ random: inout Seeded) {
        let offer = someScalars(&random)
        let direction = anyScalar(&random)
        let key: (Int) -> Observable<Int> = { element in
            offer[element].node.map { 10_000 * $0 + element }
        }
        let comparator = direction.node.map { number in
            { (left: Int, right: Int) in number % 2 == 0 ? left < right : left > right }
        }
        func rows(_ elements: [Int], _ values: [Value]) -> [Int] {
            let key = { 10_000 * values.scalar(offer[$0].index) + $0 }
            let isAscending = values.scalar(direction.index) % 2 == 0
            return elements.sorted { isAscending ? key($0) < key($1) : key($0) > key($1) }
        }
        if random.below(2) == 0 {
            let input = anyArray(&random)
            add(input.node.sorted(using: key, by: comparator)) { _, values in
                rows(values.array(input.index), values)
            }
        } else {
            let input = anySet(&random)
            add(input.node.sorted(using: key, by: comparator)) { _, values in
                rows(Array(values.set(input.index)), values)
            }
        }
    }

    private func addArrayOfSet(_ random: inout Seeded) {
        let input = anySet(&random)
        add(input.node.sorted()) { _, values in values.set(input.index).sorted() }
    }

    private func addArraySwitch(_ random: inout Seeded) {
        let chooser = anyScalar(&random)
        let offer = someArrays(&random)
        let isFresh = random.below(2) == 0
        add(
            chooser.node.flatMap { isFresh ? offer[$0].node.map { $0 } : offer[$0].node }
        ) { _, values in
            values.array(offer[values.scalar(chooser.index)].index)
        }
    }
}
