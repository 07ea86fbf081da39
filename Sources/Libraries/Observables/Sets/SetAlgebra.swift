// Either side may change, or both in one transaction, which gives one change; both may be the same set.
// These nodes keep no copy of the sets, except that every third layer of combinations keeps its result.

extension ObservableSetType {
    /// The elements that are in this set or in `other`.
    ///
    /// - Complexity: O(1) for each changed element.
    public func union<Other: ObservableSetType<Element>>(
        _ other: Other
    ) -> ObservableSet<Element> {
        .combination(.union, of: [observableSet, other.observableSet])
    }

    /// The elements that are in this set and in `other`.
    ///
    /// - Complexity: O(1) for each changed element.
    public func intersection<Other: ObservableSetType<Element>>(
        _ other: Other
    ) -> ObservableSet<Element> {
        .combination(.intersection, of: [observableSet, other.observableSet])
    }

    /// The elements that are in this set but not in `other`.
    ///
    /// - Complexity: O(1) for each changed element.
    public func subtracting<Other: ObservableSetType<Element>>(
        _ other: Other
    ) -> ObservableSet<Element> {
        .combination(.difference, of: [observableSet, other.observableSet])
    }

    /// The elements that are either in this set or in `other`, but not in both.
    ///
    /// - Complexity: O(1) for each changed element.
    public func symmetricDifference<Other: ObservableSetType<Element>>(
        _ other: Other
    ) -> ObservableSet<Element> {
        .combination(.symmetricDifference, of: [observableSet, other.observableSet])
    }
}

extension ObservableSet {
    /// The elements that are in any of `sets`. Empty without sets.
    ///
    /// - Complexity: for each changed element, O(1) for each of `sets`.
    public static func union(of sets: [any ObservableSetType<Element>]) -> ObservableSet {
        combination(.union, of: sets.map { $0.observableSet })
    }

    /// The elements that are in all of `sets`. Empty without sets.
    ///
    /// - Complexity: for each changed element, O(1) for each of `sets`.
    public static func intersection(
        of sets: [any ObservableSetType<Element>]
    ) -> ObservableSet {
        combination(.intersection, of: sets.map { $0.observableSet })
    }

    fileprivate static func combination(
        _ combination: SetCombination, of sets: [ObservableSet]
    ) -> ObservableSet {
        ObservableSet(SetCombinationNode(combination, of: sets.map(\.node)))
    }
}
