// One contiguous replacement in an array, together with the elements it takes away, so that it can
// be undone and so that readers further down never need the array as it was.

/// One change at one place of an array.
public enum ArrayModification<Element> {
    /// The element was inserted before the row now at the index after it.
    case insert(Element, at: Int)
    /// The element was removed from the index.
    case remove(Element, at: Int)
    /// The element at the index was replaced by another.
    case replace(Element, at: Int, with: Element)
    /// The elements starting at the index were replaced by others, of any number.
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

    /// The index of the first element taken away or put in.
    @inlinable
    public var startIndex: Int {
        switch self {
        case .insert(_, let index), .remove(_, let index), .replace(_, let index, _),
            .replaceRange(_, let index, _):
            return index
        }
    }

    /// How many elements it takes away.
    @inlinable
    public var inputCount: Int {
        switch self {
        case .insert: return 0
        case .remove, .replace: return 1
        case .replaceRange(let old, _, _): return old.count
        }
    }

    /// How many elements it puts in.
    @inlinable
    public var outputCount: Int {
        switch self {
        case .remove: return 0
        case .insert, .replace: return 1
        case .replaceRange(_, _, let new): return new.count
        }
    }

    /// By how many elements the array grows.
    @inlinable
    public var deltaCount: Int { outputCount - inputCount }

    /// The indices it takes away, in the array before it.
    @inlinable
    public var inputRange: Range<Int> { startIndex..<(startIndex + inputCount) }

    /// The indices it puts in, in the array after it.
    @inlinable
    public var outputRange: Range<Int> { startIndex..<(startIndex + outputCount) }

    /// The elements it takes away.
    @inlinable
    public var oldElements: [Element] {
        switch self {
        case .insert: return []
        case .remove(let old, _), .replace(let old, _, _): return [old]
        case .replaceRange(let old, _, _): return old
        }
    }

    /// The elements it puts in.
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

    /// The same modification of an array whose elements are computed by `transform`.
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

    /// The same modification, `offset` rows further on.
    ///
    /// - Complexity: O(1).
    @inlinable
    public func shifted(by offset: Int) -> ArrayModification {
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
    /// Whether both take away and put in the same at the same place, by whichever case they say it.
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
    /// Carries out one modification. Its indices must exist in this array.
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
