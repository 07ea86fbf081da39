extension ChunkedRows {
    /// Traps unless the chunks and their sums are consistent. Only the project's own tests run this
    /// check.
    @usableFromInline
    func checkInvariants() {
        guard TestSettings.areOn, SelfChecks.areMade else { return }
        index.checkInvariants(
            of: chunks.map { ChunkSummary(rows: $0.count) }, most: ChunkCapacity.rows)
        require(lasts.count == (count == 0 ? 0 : chunks.count), "a last row is missing")
    }
}

extension ChunkedRows {
    /// Traps unless keys and comparator agree on the order of adjacent rows. Only the project's own tests run this
    /// check, of few rows.
    @usableFromInline
    func checkKeys(by order: RowComparator<Element>, _ key: (Element) -> UInt64) {
        guard TestSettings.areOn, SelfChecks.areMade, count <= 1000 else { return }
        let rows = all
        for (one, other) in zip(rows, rows.dropFirst()) {
            let (first, second) = (key(one), key(other))
            require(first <= second, "a key is less than that of the row before")
            if first < second {
                require(order.precedes(one, other), "the comparator contradicts the keys")
            }
        }
    }
}

extension ChunkedMarks {
    /// Traps unless the chunks and their sums are consistent. Only the project's own tests run this
    /// check.
    func checkInvariants() {
        guard TestSettings.areOn, SelfChecks.areMade else { return }
        index.checkInvariants(of: chunks.map(\.summary), most: ChunkCapacity.marks)
        for chunk in chunks {
            let marked = chunk.words.reduce(0) { $0 + $1.nonzeroBitCount }
            require(marked == chunk.marked, "a chunk miscounts its marks")
        }
    }
}
