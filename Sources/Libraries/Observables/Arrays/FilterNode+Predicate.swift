// Replacement of a filter's predicate. Which rows match is computed at once; the change, which may hold
// every row, is computed on first access.

extension FilterNode {
    private typealias Change = Emission<ArrayChange<Element>>

    /// Applies the new predicate and returns the resulting change, if any.
    func recheck(since old: Predicate) -> Emission<ArrayChange<Element>>? {
        if matches.isKnownToImply(old) { return recheckMatches() }
        return recheckAll(exceptMatches: old.isKnownToImply(matches))
    }

    /// Checks only the rows that match now: no other row can start to match.
    private func recheckMatches() -> Emission<ArrayChange<Element>>? {
        let count = marks.markedCount
        var stays: [Bool] = []
        stays.reserveCapacity(count)
        forEachBlock(in: 0..<count) { operations.match($0, matches, &stays) }
        guard let first = stays.firstIndex(of: false), let last = stays.lastIndex(of: false) else {
            return nil
        }
        let before = marks
        marks.keep(stays)
        let preview = ChangePreview(
            extent: ArrayExtent(
                prefix: first, suffix: count - 1 - last, deltaCount: marks.markedCount - count))
        return Change(of: count, preview: preview) {
            self.change(keeping: stays, of: before)
        }
    }

    /// The change that removes some of the rows marked before.
    private func change(keeping stays: [Bool], of before: ChunkedMarks) -> ArrayChange<Element> {
        var runs: [Range<Int>] = []
        for rank in stays.indices where !stays[rank] {
            if let last = runs.last, last.upperBound == rank {
                runs[runs.count - 1] = last.lowerBound..<(rank + 1)
            } else {
                runs.append(rank..<(rank + 1))
            }
        }
        if runs.count > Self.modificationLimit {
            runs = [runs[0].lowerBound..<runs[runs.count - 1].upperBound]
        }
        var result = ArrayChange<Element>(initialCount: stays.count)
        for run in runs {
            let rows = rows(in: run, markedBy: before)
            if let one = ArrayModification(
                replacing: rows, at: run.lowerBound + result.deltaCount,
                with: operations.select(rows, stays[run]))
            {
                result.add(one)
            }
        }
        return result.flattened()
    }

    /// Checks every row, or only the non-matching ones if the others are known to match still.
    private func recheckAll(exceptMatches: Bool) -> Emission<ArrayChange<Element>>? {
        let old = marks.marks(in: 0..<marks.count)
        var new: [Bool] = []
        new.reserveCapacity(old.count)
        input.node.forEachBlock(in: 0..<input.node.count) { rows in
            guard exceptMatches else {
                operations.match(rows, matches, &new)
                return
            }
            let known = old[new.count..<(new.count + rows.count)]
            operations.matchOthers(rows, known, matches, &new)
        }
        guard let first = new.indices.first(where: { old[$0] != new[$0] }),
            let last = new.indices.last(where: { old[$0] != new[$0] })
        else { return nil }
        let before = marks
        marks = ChunkedMarks(new)
        let preview = ChangePreview(
            extent: ArrayExtent(
                prefix: before.rank(of: first),
                suffix: before.markedCount - before.rank(of: last + 1),
                deltaCount: marks.markedCount - before.markedCount))
        return Change(of: before.markedCount, preview: preview) {
            self.change(from: old, to: new)
        }
    }

    /// The change from the rows with one set of marks to those with another.
    private func change(from old: [Bool], to new: [Bool]) -> ArrayChange<Element> {
        // Rows that arrive or leave without a kept row between them form one modification.
        var places: [(rows: Range<Int>, position: Int)] = []
        var position = 0
        var arriving = 0
        var run: Range<Int>?
        for row in new.indices {
            switch (old[row], new[row]) {
            case (false, false): continue
            case (true, true):
                if let rows = run {
                    places.append((rows, position))
                    position += arriving
                    run = nil
                    arriving = 0
                }
                position += 1
            case (_, let arrives):
                run = (run?.lowerBound ?? row)..<(row + 1)
                arriving += arrives ? 1 : 0
            }
        }
        if let rows = run { places.append((rows, position)) }
        if places.count > Self.modificationLimit {
            let all = places[0].rows.lowerBound..<places[places.count - 1].rows.upperBound
            places = [(all, places[0].position)]
        }

        let count = old.reduce(0) { $1 ? $0 + 1 : $0 }
        var result = ArrayChange<Element>(initialCount: count)
        for (range, position) in places {
            let rows = input.node.rows(in: range)
            if let one = ArrayModification(
                replacing: operations.select(rows, old[range]), at: position,
                with: operations.select(rows, new[range]))
            {
                result.add(one)
            }
        }
        return result.flattened()
    }
}
