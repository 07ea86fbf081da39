// A tree out of a flat set, in which each element says whose child it is.

/// The elements of a set by their parents.
///
/// It is made by `tree(id:parent:)`.
public struct ObservableTree<ID: Hashable, Element: Hashable> {
    /// The elements that have no parent, or one that is not in the set.
    public let roots: ObservableSet<Element>

    private let childrenOfParent: (ID) -> ObservableSet<Element>

    init(
        _ elements: ObservableSet<Element>, id: @escaping (Element) -> ID,
        parents: ObservableSet<DictionaryEntry<ID?, Element>>
    ) {
        let ids = elements.map(id)
        let hub = GroupingHub(parents.node) { $0.key }
        roots = parents.filter { entry -> Observable<Bool> in
            guard let parent = entry.key else { return .constant(true) }
            return !ids.observableContains(parent)
        }.map(\.value)
        childrenOfParent = { id in ObservableSet(GroupNode(hub, key: id)).map(\.value) }
    }

    /// The elements whose parent is `id`, whether there is such an element or not.
    ///
    /// - Complexity: O(1) for each of them that comes or goes; nothing for what happens elsewhere.
    public func children(of id: ID) -> ObservableSet<Element> { childrenOfParent(id) }
}

extension ObservableSetType {
    /// The tree in which each element lies below the one whose id `parent` gives for it.
    ///
    /// An element whose parent is not in the set is a root until its parent comes. Elements that are each
    /// other's parents are below nobody that a root leads to. Ids must be different for different elements.
    ///
    /// - Complexity: O(1) for each changed element; only its parent's children and the roots are told. When an
    ///   element comes or goes, O(1) for each of its children, which cease or begin to be roots.
    public func tree<ID: Hashable>(
        id: @escaping (Element) -> ID, parent: @escaping (Element) -> ID?
    ) -> ObservableTree<ID, Element> {
        ObservableTree(
            observableSet, id: id,
            parents: map { DictionaryEntry(key: parent($0), value: $0) })
    }

    /// The tree in which each element lies below the one whose id the observable has that `parent` gives for
    /// it. When that changes, the element moves with all that is below it.
    ///
    /// - Complexity: as with fixed parents, for each changed element and each changed parent.
    public func tree<ID: Hashable, Field: ObservableScalarType>(
        id: @escaping (Element) -> ID, parent: @escaping (Element) -> Field
    ) -> ObservableTree<ID, Element> where Field.Value == ID? {
        ObservableTree(observableSet, id: id, parents: paired(with: parent))
    }
}
