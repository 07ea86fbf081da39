/// The elements of a set whose observable is true.
final class SetFilterEachNode<Element: Hashable>:
    SetEachNode<Element, ScalarNode<Bool>, Element>
{
    override func results(of element: Element, _ field: ScalarNode<Bool>) -> Set<Element> {
        field.read() ? [element] : []
    }

    override func difference(
        of element: Element, _ change: ScalarChange<Bool>
    ) -> (removed: Set<Element>, inserted: Set<Element>) {
        switch (change.old, change.new) {
        case (true, false): return ([element], [])
        case (false, true): return ([], [element])
        default: return ([], [])
        }
    }
}

/// The values of an observable scalar in each element of a set.
final class SetSelectNode<Element: Hashable, Value: Hashable>:
    SetEachNode<Element, ScalarNode<Value>, Value>
{
    override func results(of element: Element, _ field: ScalarNode<Value>) -> Set<Value> {
        [field.read()]
    }

    override func difference(
        of element: Element, _ change: ScalarChange<Value>
    ) -> (removed: Set<Value>, inserted: Set<Value>) {
        change.old == change.new ? ([], []) : ([change.old], [change.new])
    }
}

/// The union of an observable set in each element of a set.
final class SetUnionNode<Element: Hashable, Inner: Hashable>:
    SetEachNode<Element, SetNode<Inner>, Inner>
{
    override func results(of element: Element, _ field: SetNode<Inner>) -> Set<Inner> {
        field.elements
    }

    override func difference(
        of element: Element, _ change: SetChange<Inner>
    ) -> (removed: Set<Inner>, inserted: Set<Inner>) {
        (change.removed, change.inserted)
    }
}
