extension ChunkedRows {
    /// Traps unless the chunks and their sums are consistent. Only the project's own tests run this
    /// check.
    @usableFromInline
    func checkInvariants() {
        guard TestSettings.areOn, SelfChecks.areMade else { return }
        require(!chunks.isEmpty, "there is no chunk")
        require(chunks.count == index.chunkCount, "the index has another number of chunks")
        require(lasts.count == (count == 0 ? 0 : chunks.count), "a last row is missing")
        var rows = 0
        for (offset, chunk) in chunks.enumerated() {
            require(chunks.count == 1 || !chunk.isEmpty, "a chunk is empty")
            require(chunk.count <= ChunkCapacity.rows, "a chunk is too large")
            require(index.sum(before: offset).rows == rows, "the index misstates a sum")
            rows += chunk.count
        }
        require(index.total.rows == rows, "the index misstates the total")
    }
}

extension ChunkedMarks {
    /// Traps unless the chunks and their sums are consistent. Only the project's own tests run this
    /// check.
    func checkInvariants() {
        guard TestSettings.areOn, SelfChecks.areMade else { return }
        require(!chunks.isEmpty, "there is no chunk")
        require(chunks.count == index.chunkCount, "the index has another number of chunks")
        var sum = ChunkSummary()
        for (offset, chunk) in chunks.enumerated() {
            require(chunks.count == 1 || chunk.count > 0, "a chunk is empty")
            require(chunk.count <= ChunkCapacity.rows, "a chunk is too large")
            require(index.sum(before: offset) == sum, "the index misstates a sum")
            let marked = chunk.words.reduce(0) { $0 + $1.nonzeroBitCount }
            require(marked == chunk.marked, "a chunk miscounts its marks")
            sum = sum + chunk.summary
        }
        require(index.total == sum, "the index misstates the total")
    }
}
