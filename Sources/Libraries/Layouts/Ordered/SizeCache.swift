/// The measured sizes of items. They are kept until an item is measured again or removed, and shared by
/// all layouts of the same items.
///
/// Layouts receive only the changes that it reports. A size that differs by less than half a px from the
/// cached one is no change: it is dropped here, in one place, so that a layout created later from the
/// same cache has the same frames as existing ones.
///
/// Holds up to 1,000,000 sizes.
public struct SizeCache<ID: Hashable> {
    private var sizes: [ID: Size] = [:]

    /// An empty cache.
    public init() {}

    /// The number of sizes.
    package var count: Int { sizes.count }

    /// The last measured size of an item, in px; `nil` if it is not measured.
    public subscript(item: ID) -> Size? { sizes[item] }

    /// Makes room for so many sizes.
    package mutating func reserveCapacity(_ count: Int) { sizes.reserveCapacity(count) }

    /// Sets the measured sizes of items.
    ///
    /// - Parameter measured: Items and their sizes, in px: widths and heights from 0 to 1e7. The last
    ///   size of a repeated item counts.
    /// - Returns: The items whose sizes have changed, each once: those not measured before, or different
    ///   by half a px or more in width or height. The others keep their cached size.
    /// - Throws: ``LayoutError/Code/outOfRange``, which names the index in the list, or
    ///   ``LayoutError/Code/tooMany``; nothing changes then.
    /// - Complexity: O(m) for m sizes.
    public mutating func measure(_ measured: [(item: ID, size: Size)]) throws(LayoutError) -> [ID] {
        var seen = Set<ID>()
        return try measureEach(measured).compactMap { index in
            seen.insert(measured[index].item).inserted ? measured[index].item : nil
        }
    }

    /// Sets the measured sizes of items, as ``measure(_:)`` does.
    ///
    /// - Returns: The indices in `measured` of sizes that were no longer the cached ones when their turn came,
    ///   ascending: the same item may be at several of them, if it is repeated.
    /// - Complexity: O(m) for m sizes, with at most two hashed items for each, and those of a table that grows.
    package mutating func measureEach(
        _ measured: [(item: ID, size: Size)]
    ) throws(LayoutError) -> [Int] {
        for index in measured.indices {
            try Units.check(measured[index].size, "sizes[\(index)]")
        }
        if sizes.count + measured.count > Limits.cells {
            let new = Set(measured.map(\.item)).count { sizes[$0] == nil }
            try Limits.checkCount(sizes.count, adding: new)
        }
        var changed: [Int] = []
        for (index, (item, size)) in measured.enumerated() {
            if let place = sizes.index(forKey: item) {
                if sizes.values[place].isWithinHalfPixel(of: size) { continue }
                sizes.values[place] = size
            } else {
                sizes[item] = size
            }
            changed.append(index)
        }
        return changed
    }

    /// Removes the size of an item that was removed or looks different now.
    ///
    /// - Returns: Its size, in px; `nil` if it had none.
    @discardableResult
    public mutating func remove(_ item: ID) -> Size? { sizes.removeValue(forKey: item) }
}

extension Size {
    /// Whether the two differ by less than half a px in both directions.
    func isWithinHalfPixel(of other: Size) -> Bool {
        abs(width - other.width) < 0.5 && abs(height - other.height) < 0.5
    }
}
