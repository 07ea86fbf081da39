// A set change is canonical with respect to the set it starts from: `removed` is part of that set,
// `inserted` is not. So inserting and then removing an element is no change, and reversing exchanges the
// two.
//
// Most changes have one element and are stored without a set, whose creation costs as much as the rest
// of propagating the change through a pipeline.

/// The change of a set: the removed and inserted elements.
public struct SetChange<Element: Hashable>: ChangeType {
    /// A set of elements.
    public typealias Value = Set<Element>

    @usableFromInline
    enum Storage {
        case nothing
        case removal(Element)
        case insertion(Element)
        case several(removed: Set<Element>, inserted: Set<Element>)
    }

    @usableFromInline var storage: Storage

    /// The elements that left the set.
    @inlinable public var removed: Set<Element> {
        switch storage {
        case .nothing, .insertion: return []
        case .removal(let element): return [element]
        case .several(let removed, _): return removed
        }
    }

    /// The elements that arrived in the set.
    @inlinable public var inserted: Set<Element> {
        switch storage {
        case .nothing, .removal: return []
        case .insertion(let element): return [element]
        case .several(_, let inserted): return inserted
        }
    }

    /// A change that removes `removed` and inserts `inserted`. An element in both was in the set and
    /// stays there: it is omitted from both.
    @inlinable
    public init(removed: Set<Element> = [], inserted: Set<Element> = []) {
        if removed.isEmpty || inserted.isEmpty || removed.isDisjoint(with: inserted) {
            self.init(canonical: removed, inserted)
        } else {
            self.init(
                canonical: removed.subtracting(inserted), inserted.subtracting(removed))
        }
    }

    @inlinable
    init(canonical removed: Set<Element>, _ inserted: Set<Element>) {
        storage =
            removed.isEmpty && inserted.isEmpty
            ? .nothing : .several(removed: removed, inserted: inserted)
    }

    /// The change that turns `old` into `new`.
    ///
    /// - Complexity: O(*n*).
    public init(from old: Set<Element>, to new: Set<Element>) {
        self.init(canonical: old.subtracting(new), new.subtracting(old))
    }

    /// Whether no element leaves or arrives.
    @inlinable public var isEmpty: Bool {
        switch storage {
        case .nothing: return true
        case .removal, .insertion: return false
        case .several(let removed, let inserted): return removed.isEmpty && inserted.isEmpty
        }
    }

    /// The difference between the new and the old element count.
    @inlinable public var deltaCount: Int {
        switch storage {
        case .nothing: return 0
        case .removal: return -1
        case .insertion: return 1
        case .several(let removed, let inserted): return inserted.count - removed.count
        }
    }

    /// Records that an element not in the set was inserted.
    ///
    /// - Complexity: O(1).
    @inlinable
    public mutating func insert(_ element: Element) {
        if case .nothing = storage {
            storage = .insertion(element)
            return
        }
        update { removed, inserted in
            if removed.isEmpty || removed.remove(element) == nil { inserted.insert(element) }
        }
    }

    /// Records that an element of the set was removed.
    ///
    /// - Complexity: O(1).
    @inlinable
    public mutating func remove(_ element: Element) {
        if case .nothing = storage {
            storage = .removal(element)
            return
        }
        update { removed, inserted in
            if inserted.isEmpty || inserted.remove(element) == nil { removed.insert(element) }
        }
    }

    /// Makes room for so many elements more, so that the sets do not grow step by step.
    @inlinable
    mutating func reserveCapacity(removing: Int, inserting: Int) {
        update { removed, inserted in
            removed.reserveCapacity(removed.count + removing)
            inserted.reserveCapacity(inserted.count + inserting)
        }
    }

    /// Modifies the two sets in place.
    @inlinable
    mutating func update(_ body: (inout Set<Element>, inout Set<Element>) -> Void) {
        var removed = removed
        var inserted = inserted
        storage = .nothing  // so that the sets are held here only
        body(&removed, &inserted)
        storage = .several(removed: removed, inserted: inserted)
    }

    /// Applies the change. Removed elements must be in the set and inserted elements must not.
    ///
    /// - Complexity: O(*k*) for a change of *k* elements.
    public func apply(on value: inout Set<Element>) {
        require(
            removed.isSubset(of: value) && inserted.isDisjoint(with: value),
            "A set change was applied to a set it was not made for.")
        value.subtract(removed)
        value.formUnion(inserted)
    }

    /// A change with the effect of this change followed by `change`.
    ///
    /// - Complexity: proportional to the size of `change`.
    public func merged(with change: SetChange) -> SetChange {
        if isEmpty { return change }
        var result = self
        for element in change.removed { result.remove(element) }
        for element in change.inserted { result.insert(element) }
        return result
    }

    /// The change that undoes this one.
    ///
    /// - Complexity: O(1).
    public func reversed() -> SetChange {
        switch storage {
        case .nothing: return self
        case .removal(let element): return SetChange(.insertion(element))
        case .insertion(let element): return SetChange(.removal(element))
        case .several(let removed, let inserted):
            return SetChange(.several(removed: inserted, inserted: removed))
        }
    }

    private init(_ storage: Storage) {
        self.storage = storage
    }
}

extension SetChange: Equatable {
    /// Whether both remove and insert the same elements.
    ///
    /// - Complexity: O(*k*) for a change of *k* elements.
    public static func == (left: SetChange, right: SetChange) -> Bool {
        left.removed == right.removed && left.inserted == right.inserted
    }
}

extension SetChange.Storage: Sendable where Element: Sendable {}

extension SetChange: Sendable where Element: Sendable {}
