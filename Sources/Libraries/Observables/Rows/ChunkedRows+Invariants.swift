extension ChunkedRows {
    /// Traps unless the chunks and their sums are consistent. Only the project's own tests run this
    /// check.
    @usableFromInline
    func checkInvariants() {
        guard TestSettings.areOn, SelfChecks.areMade else { return }
        index.checkInvariants(of: chunks.map { ChunkSummary(rows: $0.count) })
        require(lasts.count == (count == 0 ? 0 : chunks.count), "a last row is missing")
    }
}

extension ChunkedMarks {
    /// Traps unless the chunks and their sums are consistent. Only the project's own tests run this
    /// check.
    func checkInvariants() {
        guard TestSettings.areOn, SelfChecks.areMade else { return }
        index.checkInvariants(of: chunks.map(\.summary))
        for chunk in chunks {
            let marked = chunk.words.reduce(0) { $0 + $1.nonzeroBitCount }
            require(marked == chunk.marked, "a chunk miscounts its marks")
        }
    }
}
