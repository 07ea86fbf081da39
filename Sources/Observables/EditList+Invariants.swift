extension EditList {
    /// Traps if the list is not as its head comment says. Does nothing in a release build.
    func checkInvariants() {
        #if DEBUG
        guard SelfChecks.areMade else { return }
        var isFirst = true
        precondition(chunks.count == edits.count, "spans and edits differ")
        for (chunk, edits) in zip(chunks, edits) {
            precondition(!chunk.spans.isEmpty, "a chunk is empty")
            precondition(chunk.spans.count == edits.count, "spans and edits differ")
            var length = 0
            for (span, edit) in zip(chunk.spans, edits) {
                precondition(span.gap >= (isFirst ? 0 : 1), "two edits touch")
                precondition(span.output == edit.new.count, "a span misstates its edit")
                precondition(!edit.old.isEmpty || !edit.new.isEmpty, "an edit is empty")
                length += span.gap + span.output
                isFirst = false
            }
            precondition(length == chunk.length, "a chunk misstates its length")
        }
        #endif
    }
}
