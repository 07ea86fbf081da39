extension FlowLayout {
    /// Breaks the stale lines again, and the later lines that begin elsewhere now.
    ///
    /// - Complexity: O(log n) for each stale line, and O(1) for each item of the broken lines.
    func breakLines() {
        while let stale = lines.first(where: { $0.stale > 0 }) {
            // Its first item may fit into the previous line now.
            let first = max(0, stale.index - 1)
            let start = lines.prefix(first).items
            let (end, items) = breakLines(from: first, item: start, stale: stale.index)
            changes.touch(start..<items, of: count)
            lines.replaceSubrange(first..<end, with: broken)
            linesBroken += broken.count
        }
    }

    /// Fills `broken` with the lines of the items from `start` on, up to the first line that begins
    /// where it did before.
    ///
    /// - Returns: The index of that line, and of its first item.
    private func breakLines(
        from first: Int, item start: Int, stale: Int
    ) -> (line: Int, item: Int) {
        broken.removeAll(keepingCapacity: true)
        let room = area.width
        let spacing = Units.floor(options.itemSpacing)
        let estimate = FlowItem(options.estimated)
        var known = BlockCursor(lines, at: first)
        var knownIndex = first
        var knownStart = start
        var cursor = BlockCursor(items, at: start)
        var item = start
        while true {
            // A line begins here. Old lines that began before it are gone.
            while let line = known.current,
                knownStart < item || (knownStart == item && line.items == 0)
            {
                knownStart += Int(line.items)
                knownIndex += 1
                known.advance()
            }
            if knownIndex > stale, knownStart == item, known.current?.isStale == false { break }
            guard cursor.current != nil else { break }
            var line = FlowLine.empty
            while let item = cursor.current {
                let size = item.isMeasured ? item : estimate
                let width = line.items == 0 ? 0 : line.width + spacing
                if line.items > 0, width + Int(size.width) > room { break }
                line.width = width + Int(size.width)
                line.height = max(line.height, size.height)
                line.items += 1
                cursor.advance()
            }
            item += Int(line.items)
            broken.append(line)
        }
        return (knownIndex, item)
    }

    #if DEBUG
    /// Traps unless the invariants at the head of `FlowLayout.swift` hold.
    func checkInvariants() {
        items.checkInvariants(==)
        lines.checkInvariants(==)
        precondition(lines.total.items == items.count, "items and lines disagree")
        lines.forEachLeaf { block in
            for line in block {
                precondition(line.items > 0 || line.isStale, "a line without items")
            }
        }
    }
    #endif
}
