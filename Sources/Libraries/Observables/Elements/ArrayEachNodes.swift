/// The elements of an array whose observable is true.
final class ArrayFilterEachNode<Element>: ArrayEachNode<Element, ScalarNode<Bool>, Element> {
    override func weight(of field: ScalarNode<Bool>) -> Int { field.read() ? 1 : 0 }

    override func rows(of element: Element, _ field: ScalarNode<Bool>) -> [Element] {
        field.read() ? [element] : []
    }

    override func rows(
        of element: Element, _ field: ScalarNode<Bool>, before change: ScalarChange<Bool>
    ) -> [Element] {
        change.old ? [element] : []
    }

    override func modifications(
        of element: Element, for change: ScalarChange<Bool>
    ) -> [ArrayModification<Element>] {
        switch (change.old, change.new) {
        case (false, true): return [.insert(element, at: 0)]
        case (true, false): return [.remove(element, at: 0)]
        default: return []
        }
    }
}

/// The values of an observable scalar in each element of an array.
final class ArraySelectNode<Element, Value>: ArrayEachNode<Element, ScalarNode<Value>, Value> {
    override func rows(of element: Element, _ field: ScalarNode<Value>) -> [Value] {
        [field.read()]
    }

    override func rows(
        of element: Element, _ field: ScalarNode<Value>, before change: ScalarChange<Value>
    ) -> [Value] {
        [change.old]
    }

    override func modifications(
        of element: Element, for change: ScalarChange<Value>
    ) -> [ArrayModification<Value>] {
        [.replace(change.old, at: 0, with: change.new)]
    }
}

/// The elements of an observable array in each element of an array, concatenated.
final class ArrayFlattenNode<Element, Inner>: ArrayEachNode<Element, ArrayNode<Inner>, Inner> {
    override func weight(of field: ArrayNode<Inner>) -> Int { field.count }

    override func rows(of element: Element, _ field: ArrayNode<Inner>) -> [Inner] {
        field.allRows
    }

    override func rows(
        of element: Element, _ field: ArrayNode<Inner>, in range: Range<Int>
    ) -> [Inner] {
        field.rows(in: range)
    }

    override func rows(
        of element: Element, _ field: ArrayNode<Inner>, before change: ArrayChange<Inner>
    ) -> [Inner] {
        var rows = field.allRows
        change.reversed().apply(on: &rows)
        return rows
    }

    override func modifications(
        of element: Element, for change: ArrayChange<Inner>
    ) -> [ArrayModification<Inner>] {
        change.modifications
    }
}
