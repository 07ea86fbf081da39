extension EditList {
    /// Traps unless the invariants of the list's head comment hold. Only the project's own tests run
    /// this check.
    func checkInvariants() {
        guard TestSettings.areOn, SelfChecks.areMade else { return }
        var isFirst = true
        require(chunks.count == edits.count, "spans and edits differ")
        for (chunk, edits) in zip(chunks, edits) {
            require(!chunk.spans.isEmpty, "a chunk is empty")
            require(chunk.spans.count == edits.count, "spans and edits differ")
            var length = 0
            for (span, edit) in zip(chunk.spans, edits) {
                require(span.gap >= (isFirst ? 0 : 1), "two edits touch")
                require(span.output == edit.new.count, "a span misstates its edit")
                require(!edit.old.isEmpty || !edit.new.isEmpty, "an edit is empty")
                length += span.gap + span.output
                isFirst = false
            }
            require(length == chunk.length, "a chunk misstates its length")
        }
    }
}
