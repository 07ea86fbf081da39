// A change of an array: modifications in ascending order, no two of which touch. The index of a
// modification refers to the array after the modifications before it. As all of those lie further left,
// it is also the index in the array after the whole change. So modifications can be applied one after
// the other without adjusting any index.
//
// There are two representations. `flat` is the list for readers. `list` is used while changes are
// merged: there a new modification costs a search instead of a shift of all that follow. A change that
// is only appended to in ascending order, the common case, stays in `flat`.

/// The change of an array: the removed and inserted elements and their positions.
public struct ArrayChange<Element>: ChangeType {
    /// An array of elements.
    public typealias Value = [Element]

    @usableFromInline
    enum Storage {
        case flat([ArrayModification<Element>])
        case list(EditList<Element>)
    }

    @usableFromInline var storage = Storage.flat([])
    @usableFromInline var knownCount: Int?
    @usableFromInline var growth = 0

    /// The element count before the change, or `nil` if this change was created by ``init()`` and so
    /// fits any array that is long enough.
    @inlinable public var initialCount: Int? { knownCount }

    /// The difference between the new and the old element count.
    @inlinable public var deltaCount: Int { growth }

    /// An empty change of an array of any length.
    public init() {
        knownCount = nil
    }

    /// An empty change of an array of `initialCount` elements.
    @inlinable
    public init(initialCount: Int) {
        knownCount = initialCount
    }

    /// A change of one modification.
    @inlinable
    public init(initialCount: Int, modification: ArrayModification<Element>) {
        knownCount = initialCount
        add(modification)
    }

    /// The change that replaces all of `old` by all of `new`. No elements are compared; for the
    /// differences between two arrays see ``ArrayBatch``.
    public init(from old: [Element], to new: [Element]) {
        knownCount = old.count
        if let all = ArrayModification(replacing: old, at: 0, with: new) {
            add(all)
        }
    }

    /// The element count after the change, if the count before is known.
    @inlinable
    public var finalCount: Int? { initialCount.map { $0 + deltaCount } }

    /// Whether there are no modifications.
    @inlinable
    public var isEmpty: Bool {
        switch storage {
        case .flat(let modifications): return modifications.isEmpty
        case .list(let list): return list.isEmpty
        }
    }

    /// The modifications, in ascending order, which is the order to apply them in.
    ///
    /// - Complexity: O(1); O(*k*) for a change that is the product of merging.
    @inlinable
    public var modifications: [ArrayModification<Element>] {
        switch storage {
        case .flat(let modifications): return modifications
        case .list(let list): return list.modifications
        }
    }

    /// Adds a modification that happened after all the others: its index refers to the array after them.
    /// Touching ranges are joined; modifications that cancel out are removed.
    ///
    /// - Complexity: O(1) if it lies beyond all others, otherwise O(*k* / 64) for *k* modifications so
    ///   far, plus the size of the ranges it is joined with.
    @inlinable
    public mutating func add(_ modification: ArrayModification<Element>) {
        let start = modification.startIndex
        if let finalCount {
            require(
                start >= 0 && start + modification.inputCount <= finalCount,
                """
                A modification of rows \(modification.inputRange) does not fit a change whose \
                result has \(finalCount) rows.
                """)
        }
        growth += modification.deltaCount
        if case .flat(var modifications) = storage,
            modifications.last.map({ $0.outputRange.upperBound < start }) ?? true
        {
            if modification.inputCount == 0, modification.outputCount == 0 { return }
            storage = .flat([])  // so that the append below is in place
            modifications.append(modification)
            storage = .flat(modifications)
            return
        }
        join(modification)
    }

    /// Adds a modification that may lie before others or touch them.
    @usableFromInline
    mutating func join(_ modification: ArrayModification<Element>) {
        var list: EditList<Element>
        switch storage {
        case .flat(let modifications): list = EditList(modifications)
        case .list(let pending): list = pending
        }
        storage = .flat([])  // so that what follows is in place
        list.add(modification)
        storage = .list(list)
    }

    /// Removes all modifications, and keeps the memory of a few.
    @inlinable
    mutating func clear() {
        growth = 0
        guard case .flat(var modifications) = storage, modifications.capacity <= 16 else {
            storage = .flat([])
            return
        }
        storage = .flat([])  // so that the removal is in place
        modifications.removeAll(keepingCapacity: true)
        storage = .flat(modifications)
    }

    /// Whether this change can be applied to an array of `count` elements.
    ///
    /// - Complexity: O(1) for a change that knows the length of its array, otherwise O(*k*) for a change
    ///   of *k* elements.
    public func isApplicable(toCount count: Int) -> Bool {
        if let initialCount { return initialCount == count }
        var count = count
        for modification in modifications {
            if modification.inputRange.upperBound > count { return false }
            count += modification.deltaCount
        }
        return true
    }

    /// Applies the change. A precondition refuses an array of another length than the change was made
    /// for before anything is modified; ask ``isApplicable(toCount:)`` if in doubt.
    ///
    /// - Complexity: O(*n* + *k*).
    public func apply(on value: inout [Element]) {
        require(
            isApplicable(toCount: value.count),
            """
            A change of an array of \(initialCount.map { "\($0)" } ?? "more") rows was applied to \
            one of \(value.count). Apply a change only to the value it was made for.
            """)
        let modifications = modifications
        guard modifications.count > 2 else {
            for modification in modifications { value.apply(modification) }
            return
        }
        var result: [Element] = []
        result.reserveCapacity(value.count + deltaCount)
        var position = 0
        for modification in modifications {
            let kept = modification.startIndex - result.count
            result.append(contentsOf: value[position..<(position + kept)])
            result.append(contentsOf: modification.newElements)
            position += kept + modification.inputCount
        }
        result.append(contentsOf: value[position...])
        value = result
    }

    /// A change with the effect of this change followed by `change`.
    ///
    /// - Complexity: that of ``add(_:)`` for each modification of `change`.
    public func merged(with change: ArrayChange) -> ArrayChange {
        if let finalCount, let next = change.initialCount {
            require(
                finalCount == next,
                """
                A change that leaves \(finalCount) rows was merged with one made for \(next). \
                Merge changes in the order in which they happened.
                """)
        }
        var result = self
        if result.initialCount == nil, let next = change.initialCount {
            result.knownCount = next - deltaCount
        }
        for modification in change.modifications { result.add(modification) }
        return result
    }

    /// The change that undoes this one.
    ///
    /// - Complexity: O(*k*).
    public func reversed() -> ArrayChange {
        var result = ArrayChange()
        result.knownCount = finalCount
        var passed = 0
        for modification in modifications {
            result.add(modification.reversed().shifted(by: -passed))
            passed += modification.deltaCount
        }
        return result
    }

    /// The same change of an array whose elements `transform` computes.
    ///
    /// - Complexity: O(*k*) for a change of *k* elements.
    public func map<Result>(_ transform: (Element) -> Result) -> ArrayChange<Result> {
        var result = ArrayChange<Result>()
        result.knownCount = initialCount
        result.growth = deltaCount
        result.storage = .flat(modifications.map { $0.map(transform) })
        return result
    }

    /// The same change of an array that has elements more before the others, or behind them: of `count` in all.
    ///
    /// - Complexity: O(*k*) for a change of *k* elements; O(1) if none are before.
    func widened(offset: Int, initialCount count: Int) -> ArrayChange {
        var result = ArrayChange(initialCount: count)
        result.growth = growth
        result.storage = offset == 0 ? storage : .flat(modifications.map { $0.shifted(by: offset) })
        return result
    }

    /// The same change without replacements of an element by one that `areEqual` to it.
    ///
    /// - Complexity: O(*k*) for a change of *k* elements.
    package func strippingReplacements(by areEqual: (Element, Element) -> Bool) -> ArrayChange {
        var result = ArrayChange()
        result.knownCount = initialCount
        for modification in modifications {
            let old = modification.oldElements
            let new = modification.newElements
            guard old.count == new.count else {
                result.add(modification)
                continue
            }
            var index = 0
            while index < old.count {
                let first = index
                while index < old.count, !areEqual(old[index], new[index]) { index += 1 }
                if let run = ArrayModification(
                    replacing: Array(old[first..<index]), at: modification.startIndex + first,
                    with: Array(new[first..<index]))
                {
                    result.add(run)
                }
                index += 1
            }
        }
        return result
    }

    /// The same change in the flat representation, from which readers get the modifications without
    /// work.
    @inlinable
    func flattened() -> ArrayChange {
        guard case .list(let list) = storage else { return self }
        var result = self
        result.storage = .flat(list.modifications)
        return result
    }
}

extension ArrayChange: Equatable where Element: Equatable {
    /// Whether both hold the same modifications of an array of the same length.
    ///
    /// - Complexity: O(*k*) for a change of *k* elements.
    public static func == (left: ArrayChange, right: ArrayChange) -> Bool {
        left.initialCount == right.initialCount && left.modifications == right.modifications
    }
}

extension ArrayChange.Storage: Sendable where Element: Sendable {}

extension ArrayChange: Sendable where Element: Sendable {}
