extension ChunkedRows {
    /// Traps if the chunks or their sums are not as they must be. Does nothing in a release build.
    @usableFromInline
    func checkInvariants() {
        #if DEBUG
        guard SelfChecks.areMade else { return }
        precondition(!chunks.isEmpty, "there is no chunk")
        precondition(chunks.count == index.chunkCount, "the index has another number of chunks")
        precondition(lasts.count == (count == 0 ? 0 : chunks.count), "a last row is missing")
        var rows = 0
        for (offset, chunk) in chunks.enumerated() {
            precondition(chunks.count == 1 || !chunk.isEmpty, "a chunk is empty")
            precondition(chunk.count <= ChunkCapacity.rows, "a chunk is too large")
            precondition(index.sum(before: offset).rows == rows, "the index misstates a sum")
            rows += chunk.count
        }
        precondition(index.total.rows == rows, "the index misstates the total")
        #endif
    }
}

extension ChunkedMarks {
    /// Traps if the chunks or their sums are not as they must be. Does nothing in a release build.
    func checkInvariants() {
        #if DEBUG
        guard SelfChecks.areMade else { return }
        precondition(!chunks.isEmpty, "there is no chunk")
        precondition(chunks.count == index.chunkCount, "the index has another number of chunks")
        var sum = ChunkSummary()
        for (offset, chunk) in chunks.enumerated() {
            precondition(chunks.count == 1 || chunk.count > 0, "a chunk is empty")
            precondition(chunk.count <= ChunkCapacity.rows, "a chunk is too large")
            precondition(index.sum(before: offset) == sum, "the index misstates a sum")
            let marked = chunk.words.reduce(0) { $0 + $1.nonzeroBitCount }
            precondition(marked == chunk.marked, "a chunk miscounts its marks")
            sum = sum + chunk.summary
        }
        precondition(index.total == sum, "the index misstates the total")
        #endif
    }
}
