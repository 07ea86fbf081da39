/// The sizes that were measured, by item: kept until an item is measured again or goes, and shared by
/// all layouts of the same items.
///
/// What it says has changed is what those layouts are to be told. A size that differs by less than half a
/// px from the one it has is no change: it is dropped here, in one place, so that a layout made later from
/// the same cache has the same frames as the ones that are there.
///
/// Holds up to 1,000,000 sizes.
public struct SizeCache<ID: Hashable> {
    private var sizes: [ID: Size] = [:]

    /// No sizes.
    public init() {}

    /// How many sizes there are.
    public var count: Int { sizes.count }

    /// The size of an item as it was last measured, in px; nil if it was not.
    public subscript(item: ID) -> Size? { sizes[item] }

    /// Notes the sizes of items as they were measured.
    ///
    /// - Parameter measured: Items and their sizes, in px: a width and a height of 0 to 1e7. Where an item
    ///   is there twice, the last counts.
    /// - Returns: The items whose sizes have changed, each once: those that were not measured before, or
    ///   differ by half a px or more in width or height. The others keep the size that they had.
    /// - Throws: ``LayoutError/outOfRange(name:value:allowed:)``, which names the place in the list, or
    ///   ``LayoutError/tooMany(count:limit:)``; nothing changes then.
    /// - Complexity: O(m) for m sizes.
    public mutating func measure(_ measured: [(item: ID, size: Size)]) throws(LayoutError) -> [ID] {
        var more = 0
        var new = Set<ID>()
        for index in measured.indices {
            try Units.check(measured[index].size, "sizes[\(index)]")
            let item = measured[index].item
            if sizes[item] == nil, new.insert(item).inserted { more += 1 }
        }
        guard sizes.count + more <= Limits.cells else {
            throw .tooMany(count: sizes.count + more, limit: Limits.cells)
        }
        var changed: [ID] = []
        var seen = Set<ID>()
        for (item, size) in measured {
            if let known = sizes[item], known.isWithinHalfPixel(of: size) { continue }
            sizes[item] = size
            if seen.insert(item).inserted { changed.append(item) }
        }
        return changed
    }

    /// Forgets the size of an item: it has gone, or looks different now.
    ///
    /// - Returns: The size that it had, in px; nil if it had none.
    @discardableResult
    public mutating func remove(_ item: ID) -> Size? { sizes.removeValue(forKey: item) }
}

extension Size {
    /// Whether the two differ by less than half a px in both directions.
    func isWithinHalfPixel(of other: Size) -> Bool {
        abs(width - other.width) < 0.5 && abs(height - other.height) < 0.5
    }
}
