extension ArrayChange {
    /// The same change, without the equal elements at the ends of a modification and without
    /// replacements of an element by one that `areEqual` to it.
    func trimmed(by areEqual: (Element, Element) -> Bool) -> ArrayChange {
        var result = ArrayChange()
        result.knownCount = initialCount
        for modification in modifications {
            let old = modification.oldElements
            let new = modification.newElements
            if let rest = ArrayModification(
                from: old, to: new, except: old.commonEnds(with: new, by: areEqual),
                at: modification.startIndex)
            {
                result.add(rest)
            }
        }
        return result.strippingReplacements(by: areEqual)
    }
}

extension Array {
    /// The number of equal elements of two arrays at the start, and at the end of the rest.
    @inlinable
    func commonEnds(
        with other: [Element], by areEqual: (Element, Element) -> Bool
    ) -> (prefix: Int, suffix: Int) {
        let shorter = Swift.min(count, other.count)
        var prefix = 0
        while prefix < shorter, areEqual(self[prefix], other[prefix]) { prefix += 1 }
        var suffix = 0
        while suffix < shorter - prefix,
            areEqual(self[count - 1 - suffix], other[other.count - 1 - suffix])
        { suffix += 1 }
        return (prefix, suffix)
    }
}

extension ArrayModification {
    /// The modification that replaces `old` by `new` at `index`, except for the ends that they have in
    /// common; `nil` if nothing else is left.
    init?(
        from old: [Element], to new: [Element], except ends: (prefix: Int, suffix: Int),
        at index: Int = 0
    ) {
        self.init(
            replacing: Array(old[ends.prefix..<(old.count - ends.suffix)]),
            at: index + ends.prefix,
            with: Array(new[ends.prefix..<(new.count - ends.suffix)]))
    }
}
