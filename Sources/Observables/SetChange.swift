// A set change is canonical with respect to the set it starts from: `removed` lies within that set,
// `inserted` outside it. So inserting and then removing the same element is no change at all, and
// reversing is exchanging the two.

/// How a set changed: which elements left and which arrived.
public struct SetChange<Element: Hashable>: ChangeType {
    /// A set of elements.
    public typealias Value = Set<Element>

    /// The elements that were in the set and no longer are.
    @inlinable public var removed: Set<Element> { leaving }
    /// The elements that are in the set and were not before.
    @inlinable public var inserted: Set<Element> { arriving }

    @usableFromInline var leaving: Set<Element>
    @usableFromInline var arriving: Set<Element>

    /// A change that takes out `removed` and puts in `inserted`. An element in both was in the set
    /// and remains there: it is left out of both.
    public init(removed: Set<Element> = [], inserted: Set<Element> = []) {
        leaving = removed
        arriving = inserted
        if !removed.isEmpty, !inserted.isEmpty, !removed.isDisjoint(with: inserted) {
            leaving.subtract(inserted)
            arriving.subtract(removed)
        }
    }

    /// The change that turns `old` into `new`.
    ///
    /// - Complexity: O(*n*).
    public init(from old: Set<Element>, to new: Set<Element>) {
        leaving = old.subtracting(new)
        arriving = new.subtracting(old)
    }

    /// Whether no element leaves or arrives.
    public var isEmpty: Bool { removed.isEmpty && inserted.isEmpty }

    /// By how many elements the set grows.
    public var deltaCount: Int { inserted.count - removed.count }

    /// Records that an element not in the set was inserted.
    ///
    /// - Complexity: O(1).
    @inlinable
    public mutating func insert(_ element: Element) {
        if leaving.isEmpty || leaving.remove(element) == nil { arriving.insert(element) }
    }

    /// Records that an element of the set was removed.
    ///
    /// - Complexity: O(1).
    @inlinable
    public mutating func remove(_ element: Element) {
        if arriving.isEmpty || arriving.remove(element) == nil { leaving.insert(element) }
    }

    /// Carries out the change. What leaves must be in the set and what arrives must not.
    public func apply(on value: inout Set<Element>) {
        precondition(
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
    public func reversed() -> SetChange {
        SetChange(removed: inserted, inserted: removed)
    }

    /// The same change of a set whose elements are computed by `transform`, which must give
    /// different results for different elements.
    public func map<Result: Hashable>(_ transform: (Element) -> Result) -> SetChange<Result> {
        SetChange<Result>(
            removed: Set<Result>(removed.map(transform)),
            inserted: Set<Result>(inserted.map(transform)))
    }

    /// The part of the change that concerns the elements for which `predicate` holds.
    public func filter(_ predicate: (Element) -> Bool) -> SetChange {
        SetChange(removed: removed.filter(predicate), inserted: inserted.filter(predicate))
    }
}

extension SetChange: Equatable {}

extension SetChange: Sendable where Element: Sendable {}
