extension ArrayChange {
    /// The same change, without the equal elements at the ends of a modification and without
    /// replacements of an element by one that `areEqual` to it.
    func trimmed(by areEqual: (Element, Element) -> Bool) -> ArrayChange {
        var result = ArrayChange()
        result.knownCount = initialCount
        for modification in modifications {
            let old = modification.oldElements
            let new = modification.newElements
            let shorter = Swift.min(old.count, new.count)
            var prefix = 0
            while prefix < shorter, areEqual(old[prefix], new[prefix]) { prefix += 1 }
            var suffix = 0
            while suffix < shorter - prefix,
                areEqual(old[old.count - 1 - suffix], new[new.count - 1 - suffix])
            { suffix += 1 }
            if let rest = ArrayModification(
                replacing: Array(old[prefix..<(old.count - suffix)]),
                at: modification.startIndex + prefix,
                with: Array(new[prefix..<(new.count - suffix)]))
            {
                result.add(rest)
            }
        }
        return result.strippingReplacements(by: areEqual)
    }
}
