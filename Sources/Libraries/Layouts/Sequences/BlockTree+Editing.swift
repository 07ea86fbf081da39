extension BlockTree {
    /// Inserts an element before `index`, which may be the count.
    ///
    /// - Complexity: O(log n).
    func insert(_ element: Element, at index: Int) {
        precondition(index >= 0 && index <= count, "there is no place \(index)")
        if let right = insert(element, at: index, into: root) {
            root = Node(children: [root, right], capacity: childLimit)
        }
        total = root.summary
    }

    /// Removes an element.
    ///
    /// - Complexity: O(log n).
    @discardableResult
    func remove(at index: Int) -> Element {
        precondition(index >= 0 && index < count, "there is no element \(index)")
        let element = remove(at: index, from: root)
        while root.children.count == 1 { root = root.children[0] }
        total = root.summary
        return element
    }

    /// Replaces the element at an index.
    ///
    /// - Complexity: O(log n).
    func set(_ element: Element, at index: Int) {
        precondition(index >= 0 && index < count, "there is no element \(index)")
        set(element, at: index, in: root)
        total = root.summary
    }

    /// Replaces elements by others.
    ///
    /// - Complexity: O(m + log n) for equal numbers of old and new elements, plus O(log n) per element
    ///   of difference, and at most O(n).
    func replaceSubrange(_ range: Range<Int>, with new: ContiguousArray<Element>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "no elements \(range)")
        let both = min(range.count, new.count)
        let more = abs(range.count - new.count)
        // Rebuilding 32 elements costs about as much as one insertion.
        if more > 16, more > count / 32 {
            rebuild(range, with: new)
            return
        }
        if both > 0 {
            var next = 0
            overwrite(root, from: range.lowerBound, with: new, next: &next, end: both)
            total = root.summary
        }
        var index = range.lowerBound + both
        if new.count > both {
            for next in both..<new.count {
                insert(new[next], at: index)
                index += 1
            }
        } else {
            for index in (index..<range.upperBound).reversed() { remove(at: index) }
        }
    }

    private func rebuild(_ range: Range<Int>, with new: ContiguousArray<Element>) {
        var all = new
        if range.count < count {
            all = []
            all.reserveCapacity(max(count, count - range.count + new.count))
            forEachLeaf { all.append(contentsOf: $0) }
            all.replaceSubrange(range, with: new)
        }
        // Fill leaves to three quarters, so that the next insertions split none.
        let share = leafLimit * 3 / 4
        var level = ContiguousArray<Node>()
        var start = 0
        while start < all.count {
            let end = min(start + share, all.count)
            level.append(Node(elements: all[start..<end], capacity: leafLimit))
            start = end
        }
        while level.count > 1 {
            let children = level
            let share = max(2, childLimit * 3 / 4)
            level = []
            for start in stride(from: 0, to: children.count, by: share) {
                let end = min(start + share, children.count)
                level.append(Node(children: children[start..<end], capacity: childLimit))
            }
        }
        root = level.first ?? Node(elements: [], capacity: leafLimit)
        total = root.summary
    }

    /// Inserts below a node; returns the split-off node if that made it too large.
    private func insert(_ element: Element, at index: Int, into node: Node) -> Node? {
        if node.isLeaf {
            node.elements.insert(element, at: index)
            guard node.elements.count > leafLimit else { return nil }
            let middle = node.elements.count / 2
            let right = Node(elements: node.elements[middle...], capacity: leafLimit)
            node.elements.removeSubrange(middle...)
            return right
        }
        var child = 0
        var index = index
        while index > node.sums[child].count {
            index -= node.sums[child].count
            child += 1
        }
        let split = insert(element, at: index, into: node.children[child])
        node.sums[child] = node.children[child].summary
        guard let split else { return nil }
        node.children.insert(split, at: child + 1)
        node.sums.insert(split.summary, at: child + 1)
        guard node.children.count > childLimit else { return nil }
        let middle = node.children.count / 2
        let right = Node(children: node.children[middle...], capacity: childLimit)
        node.children.removeSubrange(middle...)
        node.sums.removeSubrange(middle...)
        return right
    }

    private func remove(at index: Int, from node: Node) -> Element {
        if node.isLeaf { return node.elements.remove(at: index) }
        var index = index
        let child = node.child(holding: &index)
        let element = remove(at: index, from: node.children[child])
        let below = node.children[child]
        if below.size == 0 {
            node.children.remove(at: child)
            node.sums.remove(at: child)
        } else {
            node.sums[child] = below.summary
            joinIfSmall(child, of: node)
        }
        return element
    }

    /// Joins a child that has lost an element with a neighbour, if the two fill at most half a node.
    private func joinIfSmall(_ child: Int, of node: Node) {
        let limit = node.children[child].isLeaf ? leafLimit : childLimit
        for left in [child - 1, child] where left >= 0 && left + 1 < node.children.count {
            let first = node.children[left]
            let second = node.children[left + 1]
            guard first.size + second.size <= limit / 2 else { continue }
            first.elements.append(contentsOf: second.elements)
            first.children.append(contentsOf: second.children)
            first.sums.append(contentsOf: second.sums)
            node.children.remove(at: left + 1)
            node.sums.remove(at: left + 1)
            node.sums[left] = first.summary
            return
        }
    }

    private func set(_ element: Element, at index: Int, in node: Node) {
        if node.isLeaf {
            node.elements[index] = element
            return
        }
        var index = index
        let child = node.child(holding: &index)
        set(element, at: index, in: node.children[child])
        node.sums[child] = node.children[child].summary
    }

    /// Overwrites the elements below a node, from the index on, with the values from `next` up to `end`,
    /// as far as elements exist.
    private func overwrite(
        _ node: Node, from index: Int, with new: ContiguousArray<Element>, next: inout Int,
        end: Int
    ) {
        if node.isLeaf {
            let least = min(node.elements.count - index, end - next)
            for offset in 0..<least { node.elements[index + offset] = new[next + offset] }
            next += least
            return
        }
        var start = 0
        var index = index
        for child in node.children.indices where next < end {
            let childEnd = start + node.sums[child].count
            if index < childEnd {
                overwrite(
                    node.children[child], from: index - start, with: new, next: &next, end: end)
                node.sums[child] = node.children[child].summary
                index = childEnd
            }
            start = childEnd
        }
    }
}
