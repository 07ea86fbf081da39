// The operators, as used by LifetimeTests: with counted functions and elements.

import Observables

/// The operators, each with functions that capture a counted object.
enum Operator: String, CaseIterable {
    case scalarMap, combined, combinedThree, distinct, sum, scalarBuffered, scalarSwitch
    case arrayMap, arrayFilter, arrayFilterWhere, narrowing, arraySorted, arraySortedBy
    case concatenation, doubled, arrayCount, last, row, index, reduce, arrayBuffered
    case window, slidingWindow, anchoredWindow, windowStart
    case arrayFilterEach, arraySelect, flatten, arraySortedUsing, arraySwitch
    case setMap, setFilter, setFilterWhere, setSorted, setSortedBy, setCount, contains
    case setReduceInto
    case union, difference, unionOfList, intersectionOfList, distinctUnion, setBuffered
    case setFilterEach, setSelect, setUnion, setSortedUsing, setSwitch
    case groupKeys, group, groups, groupFilter, groupMap, groupByField
    case keyed, keyedSelect, keyedFilter, join, forKey, hasElement, treeRoots, children
    case reversed, compactMap, flatMap, lowerBound, sourced, each, values
    case sourceMap, extents

    /// Whether the result is an observable, and not only a source.
    var givesObservable: Bool {
        switch self {
        case .sourceMap, .extents, .each, .values: false
        default: true
        }
    }
}

/// The inputs of the operators.
struct OperatorInputs {
    let scalar: Variable<Int>
    let array: ArrayVariable<Tracked>
    let set: SetVariable<Tracked>
    /// Captured by each function. Its number is -1.
    let token: Tracked
    let census: LiveCount

    var isEven: (Tracked) -> Bool {
        { [token] in $0.number % 2 == 0 && token.number < 0 }
    }

    var precedes: (Tracked, Tracked) -> Bool {
        { [token] in $0.number < $1.number && token.number < 0 }
    }

    /// Whether a number and the scalar are both even or both odd.
    var parity: Observable<(Tracked) -> Bool> {
        scalar.map { [token] scalar in
            { ($0.number + scalar) % 2 == 0 && token.number < 0 }
        }
    }

    var direction: Observable<(Tracked, Tracked) -> Bool> {
        scalar.map { [token] scalar in
            {
                (scalar % 2 == 0 ? $0.number < $1.number : $0.number > $1.number)
                    && token.number < 0
            }
        }
    }

    /// The number of an element or its alternative, as an observable.
    func field(_ element: Tracked) -> Observable<Int> {
        scalar.map { [token] in $0 % 2 == 0 ? element.number : token.number - element.number }
    }

    /// Whether an element has the parity of the scalar.
    func test(_ element: Tracked) -> Observable<Bool> {
        scalar.map { [token] in ($0 + element.number) % 2 == 0 && token.number < 0 }
    }

    var anchor: Observable<Tracked?> {
        scalar.map { [token, census] in Tracked($0 % 10 + token.number + 3, census) }
    }
}
