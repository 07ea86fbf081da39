// One contiguous replacement in an array. It includes the removed elements, so that it can be undone and
// readers downstream do not need the old array.

/// A change at one position of an array.
public enum ArrayModification<Element> {
    /// The element was inserted at the index.
    case insert(Element, at: Int)
    /// The element was removed from the index.
    case remove(Element, at: Int)
    /// The element at the index was replaced by another.
    case replace(Element, at: Int, with: Element)
    /// The elements starting at the index were replaced by any number of others.
    case replaceRange([Element], at: Int, with: [Element])

    /// The simplest modification that replaces `old` by `new` at `index`, or `nil` if both are
    /// empty.
    @inlinable
    public init?(replacing old: [Element], at index: Int, with new: [Element]) {
        switch (old.count, new.count) {
        case (0, 0): return nil
        case (0, 1): self = .insert(new[0], at: index)
        case (1, 0): self = .remove(old[0], at: index)
        case (1, 1): self = .replace(old[0], at: index, with: new[0])
        default: self = .replaceRange(old, at: index, with: new)
        }
    }

    /// The index of the first removed or inserted element.
    @inlinable
    public var startIndex: Int {
        switch self {
        case .insert(_, let index), .remove(_, let index), .replace(_, let index, _),
            .replaceRange(_, let index, _):
            return index
        }
    }

    /// The number of removed elements.
    @inlinable
    public var inputCount: Int {
        switch self {
        case .insert: return 0
        case .remove, .replace: return 1
        case .replaceRange(let old, _, _): return old.count
        }
    }

    /// The number of inserted elements.
    @inlinable
    public var outputCount: Int {
        switch self {
        case .remove: return 0
        case .insert, .replace: return 1
        case .replaceRange(_, _, let new): return new.count
        }
    }

    /// The difference between the new and the old element count.
    @inlinable
    public var deltaCount: Int { outputCount - inputCount }

    /// The indices of the removed elements in the old array.
    @inlinable
    public var inputRange: Range<Int> { startIndex..<(startIndex + inputCount) }

    /// The indices of the inserted elements in the new array.
    @inlinable
    public var outputRange: Range<Int> { startIndex..<(startIndex + outputCount) }

    /// The removed elements.
    @inlinable
    public var oldElements: [Element] {
        switch self {
        case .insert: return []
        case .remove(let old, _), .replace(let old, _, _): return [old]
        case .replaceRange(let old, _, _): return old
        }
    }

    /// The inserted elements.
    @inlinable
    public var newElements: [Element] {
        switch self {
        case .remove: return []
        case .insert(let new, _), .replace(_, _, let new): return [new]
        case .replaceRange(_, _, let new): return new
        }
    }

    /// The modification that undoes this one.
    ///
    /// - Complexity: O(1).
    @inlinable
    public func reversed() -> ArrayModification {
        switch self {
        case .insert(let new, let index): return .remove(new, at: index)
        case .remove(let old, let index): return .insert(old, at: index)
        case .replace(let old, let index, let new): return .replace(new, at: index, with: old)
        case .replaceRange(let old, let index, let new):
            return .replaceRange(new, at: index, with: old)
        }
    }

    /// The same modification of an array whose elements `transform` computes.
    ///
    /// - Complexity: one call for each old and each new element.
    @inlinable
    public func map<Result>(_ transform: (Element) -> Result) -> ArrayModification<Result> {
        switch self {
        case .insert(let new, let index): return .insert(transform(new), at: index)
        case .remove(let old, let index): return .remove(transform(old), at: index)
        case .replace(let old, let index, let new):
            return .replace(transform(old), at: index, with: transform(new))
        case .replaceRange(let old, let index, let new):
            return .replaceRange(old.map(transform), at: index, with: new.map(transform))
        }
    }

    /// The same modification, shifted by `offset` rows.
    ///
    /// - Complexity: O(1).
    package func shifted(by offset: Int) -> ArrayModification {
        switch self {
        case .insert(let new, let index): return .insert(new, at: index + offset)
        case .remove(let old, let index): return .remove(old, at: index + offset)
        case .replace(let old, let index, let new):
            return .replace(old, at: index + offset, with: new)
        case .replaceRange(let old, let index, let new):
            return .replaceRange(old, at: index + offset, with: new)
        }
    }
}

extension ArrayModification: Equatable where Element: Equatable {
    /// Whether both remove and insert equal elements at the same position, regardless of their cases.
    ///
    /// - Complexity: O(*k*) for a modification of *k* elements.
    public static func == (left: ArrayModification, right: ArrayModification) -> Bool {
        left.startIndex == right.startIndex && left.inputCount == right.inputCount
            && left.outputCount == right.outputCount && left.oldElements == right.oldElements
            && left.newElements == right.newElements
    }
}

extension ArrayModification: Sendable where Element: Sendable {}

extension Array {
    /// Applies one modification. Its indices must exist in this array.
    ///
    /// - Complexity: O(*n*).
    @inlinable
    public mutating func apply(_ modification: ArrayModification<Element>) {
        require(
            modification.startIndex >= 0 && modification.inputRange.upperBound <= count,
            """
            A modification of rows \(modification.inputRange) does not fit an array of \(count) \
            rows. Apply a change only to the value it was made for.
            """)
        switch modification {
        case .insert(let new, let index): insert(new, at: index)
        case .remove(_, let index): remove(at: index)
        case .replace(_, let index, let new): self[index] = new
        case .replaceRange(let old, let index, let new):
            replaceSubrange(index..<(index + old.count), with: new)
        }
    }
}
