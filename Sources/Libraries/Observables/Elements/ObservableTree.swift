// A tree built from a flat set whose elements name their parents.

/// The elements of a set, grouped by their parents.
///
/// Created by `tree(id:parent:)`.
public struct ObservableTree<ID: Hashable, Element: Hashable> {
    /// The elements without a parent in the set.
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

    /// The elements whose parent is `id`, whether or not that parent is in the set.
    ///
    /// - Complexity: O(1) for each of them that arrives or leaves; nothing for changes elsewhere.
    public func children(of id: ID) -> ObservableSet<Element> { childrenOfParent(id) }
}

extension ObservableSetType {
    /// The tree in which `parent` returns the id of each element's parent.
    ///
    /// An element whose parent is not in the set is a root until its parent arrives. Elements that are
    /// each other's parents are unreachable from any root. Ids must be unique.
    ///
    /// - Complexity: O(1) for each changed element; only the children of its parent and the roots
    ///   change. An element that arrives or leaves costs O(1) for each of its children, which stop or
    ///   start being roots.
    public func tree<ID: Hashable>(
        id: @escaping (Element) -> ID, parent: @escaping (Element) -> ID?
    ) -> ObservableTree<ID, Element> {
        ObservableTree(
            observableSet, id: id,
            parents: map { DictionaryEntry(key: parent($0), value: $0) })
    }

    /// The tree in which `parent` returns an observable of the id of each element's parent. When it
    /// changes, the element moves with all its descendants.
    ///
    /// - Complexity: as with fixed parents, for each changed element and each changed parent.
    public func tree<ID: Hashable, Field: ObservableScalarType>(
        id: @escaping (Element) -> ID, parent: @escaping (Element) -> Field
    ) -> ObservableTree<ID, Element> where Field.Value == ID? {
        ObservableTree(observableSet, id: id, parents: paired(with: parent))
    }
}
