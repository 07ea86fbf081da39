import Observables

extension Operator {
    /// Connects a sink to the result of the operator, which is passed to `keep` first.
    func connect(
        _ inputs: OperatorInputs, keep: (Any) -> Void = { _ in }, told: @escaping () -> Void
    ) -> Connection {
        let token = inputs.token
        func observe(_ observable: some ObservableType) -> Connection {
            keep(observable)
            return observable.connect { [token] _ in withExtendedLifetime(token) { told() } }
        }
        let (array, set) = (inputs.array, inputs.set)
        return switch self {
        case .scalarMap, .combined, .combinedThree, .distinct, .sum, .scalarBuffered,
            .scalarSwitch:
            observe(scalarResult(inputs))
        case .arrayCount, .last, .row, .index, .reduce, .windowStart, .setCount, .contains,
            .setReduceInto:
            observe(foldResult(inputs))
        case .arraySelect: observe(array.selectEach { inputs.field($0) })
        case .setSelect: observe(set.selectEach { inputs.field($0) })
        case .groupKeys: observe(set.grouped { $0.number + token.number }.keys)
        case .groups: observe(set.grouped { $0.number + token.number })
        case .groupFilter:
            observe(set.grouped { $0.number }.filter { key, _ in key > token.number })
        case .groupMap:
            observe(set.grouped { $0.number }.mapValues { ($0, token) }.buffered())
        case .groupByField:
            observe(set.grouped { inputs.field($0) })
        case .keyed, .keyedSelect, .keyedFilter, .join: observe(dictionaryResult(inputs))
        case .forKey:
            observe(set.keyed { $0.number - token.number - 1 }.observable(forKey: 20))
        case .hasElement:
            observe(
                set.map { $0.number - token.number }.observableContains(21))
        case .lowerBound:
            observe(
                array.sorted(by: inputs.precedes).observableLowerBound(
                    where: inputs.scalar.map { [token] scalar in
                        { $0.number >= 3 * scalar + token.number }
                    }))
        case .sourced:
            observe(
                Observable(
                    getter: { array.count + token.number },
                    changes: array.changes.filter { _ in token.number < 0 }))
        case .each:
            set.connectEach { [token] element in
                told()
                return Connection { withExtendedLifetime((token, element)) {} }
            }
        case .values:
            array.values.map { ($0, token) }.connect { _ in told() }
        case .sourceMap:
            array.changes.map { ($0, token) }.filter { $0.1.number < 0 }.connect { _ in told() }
        case .extents:
            array.sorted(by: inputs.direction).extents.connect { [token] _ in
                withExtendedLifetime(token) { told() }
            }
        default:
            if let rows = arrayResult(inputs) {
                observe(rows)
            } else if let elements = setResult(inputs) {
                observe(elements)
            } else {
                preconditionFailure("No operator is tried as \(self).")
            }
        }
    }

    private func dictionaryResult(
        _ inputs: OperatorInputs
    ) -> ObservableDictionary<Int, Tracked> {
        let (token, census) = (inputs.token, inputs.census)
        let keyed = inputs.set.keyed { $0.number - token.number }
        return switch self {
        case .keyedSelect:
            keyed.selectEach { element in
                inputs.field(element).map { Tracked($0 - token.number, census) }
            }
        case .keyedFilter:
            keyed.filter(
                where: inputs.scalar.map { scalar in
                    { key, _ in (key + scalar) % 2 == -token.number }
                })
        case .join:
            keyed.leftJoin(inputs.array.distinctUnion().keyed { $0.number }) {
                Tracked($0 + $1.number + ($2?.number ?? token.number), census)
            }
        default: keyed
        }
    }

    private func scalarResult(_ inputs: OperatorInputs) -> Observable<Tracked> {
        let (scalar, token, census) = (inputs.scalar, inputs.token, inputs.census)
        let counted = scalar.map { Tracked($0 - token.number, census) }
        return switch self {
        case .combined:
            scalar.combined(inputs.array.observableCount) {
                Tracked($0 + $1 - token.number, census)
            }
        case .combinedThree:
            scalar.combined(scalar, inputs.set.observableCount) {
                Tracked($0 + $1 + $2 - token.number, census)
            }
        case .distinct: counted.distinct { $0 == $1 && token.number < 0 }
        case .sum: (scalar + scalar.map { $0 - token.number }).map { Tracked($0, census) }
        case .scalarBuffered: counted.buffered()
        case .scalarSwitch:
            scalar.flatMap { number in counted.map { Tracked($0.number + number, census) } }
        default: counted
        }
    }

    private func foldResult(_ inputs: OperatorInputs) -> Observable<Int> {
        let (array, set, token) = (inputs.array, inputs.set, inputs.token)
        return switch self {
        case .arrayCount: array.filter(inputs.isEven).observableCount
        case .last:
            array.sorted(by: inputs.precedes).observableLast.map { $0?.number ?? token.number }
        case .row:
            array.sorted(by: inputs.precedes).observable(at: inputs.scalar.observable)
                .map { $0?.number ?? token.number }
        case .index: array.observableIndex(of: inputs.anchor).map { $0 ?? token.number }
        case .windowStart:
            array.window(anchoredAt: inputs.anchor, before: 0, count: 3).observableStart
                .map { $0 + token.number }
        case .setReduceInto:
            // The state holds the elements themselves.
            set.reduce(
                into: [Tracked](), add: { $0.append($1) },
                remove: { state, element in state.removeAll { $0 == element } },
                giving: { $0.reduce(token.number) { $0 + $1.number } })
        case .setCount: set.map { $0.number - token.number }.observableCount
        case .contains:
            // With an odd scalar, the element inserted next or last.
            set.observableContains(
                inputs.scalar.map { [census = inputs.census] in
                    Tracked($0 % 2 == 0 ? 99 : 20 + $0 / 2 % 4 + token.number + 1, census)
                }
            ).map { $0 ? 1 : 0 }
        default:
            array.reduce(
                0, add: { $0 + $1.number - token.number },
                remove: { $0 - $1.number + token.number })
        }
    }

    private func arrayResult(_ inputs: OperatorInputs) -> ObservableArray<Tracked>? {
        let (scalar, array, set) = (inputs.scalar, inputs.array, inputs.set)
        let (token, census) = (inputs.token, inputs.census)
        let mapped = array.map { Tracked($0.number - token.number, census) }
        let comparator: Observable<(Int, Int) -> Bool> = scalar.map { scalar in
            { scalar % 3 == 0 ? $0 < $1 : $0 > $1 }
        }
        return switch self {
        case .arrayMap: mapped
        case .arrayFilter: array.filter(inputs.isEven)
        case .arrayFilterWhere: array.filter(where: inputs.parity)
        case .narrowing:
            array.filter(
                by: scalar.observable, narrowing: >=,
                matches: { $1.number >= $0 && token.number < 0 })
        case .arraySorted: array.sorted(by: inputs.precedes)
        case .arraySortedBy: array.sorted(by: inputs.direction)
        case .concatenation: array + set.sorted(by: inputs.precedes)
        case .doubled: array + array
        case .arrayBuffered: mapped.buffered()
        case .reversed: mapped.reversed()
        case .compactMap: array.compactMap { $0.number == token.number ? nil : $0 }
        case .flatMap: array.flatMap { [$0, Tracked($0.number + token.number, census)] }
        case .window: mapped.window(fromEnd: 0, count: 3)
        case .slidingWindow: mapped.window(start: scalar.observable, count: .constant(4))
        case .anchoredWindow:
            mapped.window(anchoredAt: inputs.anchor, before: 0, count: 3).observableArray
        case .arrayFilterEach: array.filter { inputs.test($0) }
        case .flatten:
            array.selectEach { element in
                mapped.filter { $0.number == element.number - token.number }
            }
        case .arraySortedUsing: array.sorted(using: { inputs.field($0) }, by: comparator)
        case .setSortedUsing: set.sorted(using: { inputs.field($0) }, by: comparator)
        case .arraySwitch:
            scalar.flatMap { number in
                number % 2 == 0
                    ? mapped : array.filter { $0.number > number + token.number }
            }
        case .setSorted: set.sorted(by: inputs.precedes)
        case .setSortedBy: set.sorted(by: inputs.direction)
        default: nil
        }
    }

    private func setResult(_ inputs: OperatorInputs) -> ObservableSet<Tracked>? {
        let (scalar, array, set) = (inputs.scalar, inputs.array, inputs.set)
        let (token, census) = (inputs.token, inputs.census)
        let even = set.filter(inputs.isEven)
        let mapped = set.map { Tracked($0.number / 2 - token.number, census) }
        return switch self {
        case .setMap: mapped
        case .setFilter: even
        case .setFilterWhere: set.filter(where: inputs.parity)
        case .union: even.union(array.distinctUnion())
        case .difference: set.subtracting(mapped).symmetricDifference(array.distinctUnion())
        case .unionOfList: .union(of: array.map { $0.number % 2 == 0 ? mapped : even })
        case .intersectionOfList:
            .intersection(
                of: array.map { $0.number % 2 == 0 ? even : set.observableSet })
        case .distinctUnion: array.map { Tracked($0.number / 2, census) }.distinctUnion()
        case .setBuffered: mapped.buffered()
        case .setFilterEach: set.filter { inputs.test($0) }
        case .setUnion:
            set.selectEach { element in
                mapped.filter { $0.number > element.number + token.number }
            }
        case .setSwitch: scalar.flatMap { $0 % 2 == 0 ? even : mapped }
        case .treeRoots:
            set.tree(id: { $0.number }, parent: { $0.number + token.number }).roots
        case .children:
            set.tree(
                id: { $0.number - token.number },
                parent: { _ in inputs.scalar.map { Optional($0 % 2) } }
            ).children(of: -token.number)
        case .group: set.grouped { ($0.number + token.number) % 2 }[1]
        default: nil
        }
    }
}
