// A set change is canonical with respect to the set it starts from: `removed` lies within that set,
// `inserted` outside it. So inserting and then removing the same element is no change at all, and
// reversing is exchanging the two.
//
// Most changes are of one element; those are kept without a set, which costs as much to make as all
// the rest of carrying them through a pipeline.

/// How a set changed: which elements left and which arrived.
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

    /// The elements that were in the set and no longer are.
    @inlinable public var removed: Set<Element> {
        switch storage {
        case .nothing, .insertion: return []
        case .removal(let element): return [element]
        case .several(let removed, _): return removed
        }
    }

    /// The elements that are in the set and were not before.
    @inlinable public var inserted: Set<Element> {
        switch storage {
        case .nothing, .removal: return []
        case .insertion(let element): return [element]
        case .several(_, let inserted): return inserted
        }
    }

    /// A change that takes out `removed` and puts in `inserted`. An element in both was in the set
    /// and remains there: it is left out of both.
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

    /// By how many elements the set grows.
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

    /// Alters the two sets in place.
    @inlinable
    mutating func update(_ body: (inout Set<Element>, inout Set<Element>) -> Void) {
        var removed = removed
        var inserted = inserted
        storage = .nothing  // so that the sets are held here only
        body(&removed, &inserted)
        storage = .several(removed: removed, inserted: inserted)
    }

    /// Carries out the change. What leaves must be in the set and what arrives must not.
    ///
    /// - Complexity: O(*k*) for a change of *k* elements.
    public func apply(on value: inout Set<Element>) {
        require(
            removed.isSubset(of: value) && inserted.isDisjoint(with: value),
            "A set change was applied to a set it was not made for.")
        value.subtract(removed)
        value.formUnion(inserted)
    }

    /// One change with the effect of this one followed by `change`.
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

    /// The same change of a set whose elements are computed by `transform`, which must give
    /// different results for different elements.
    ///
    /// - Complexity: O(*k*) for a change of *k* elements.
    public func map<Result: Hashable>(_ transform: (Element) -> Result) -> SetChange<Result> {
        SetChange<Result>(
            removed: Set<Result>(removed.map(transform)),
            inserted: Set<Result>(inserted.map(transform)))
    }

    /// The part of the change that concerns the elements for which `predicate` holds.
    ///
    /// - Complexity: O(*k*) for a change of *k* elements.
    public func filter(_ predicate: (Element) -> Bool) -> SetChange {
        SetChange(removed: removed.filter(predicate), inserted: inserted.filter(predicate))
    }
}

extension SetChange: Equatable {
    /// Whether both take out and put in the same elements.
    ///
    /// - Complexity: O(*k*) for a change of *k* elements.
    public static func == (left: SetChange, right: SetChange) -> Bool {
        left.removed == right.removed && left.inserted == right.inserted
    }
}

extension SetChange.Storage: Sendable where Element: Sendable {}

extension SetChange: Sendable where Element: Sendable {}
