internal import JSONText
internal import ListRequests
internal import PickerModel
internal import PluginInterface
internal import WireProtocol

// The whole window, in lines of a stated size.

extension ListStream {
    /// The target size of a line of a reset, in bytes.
    private static let chunkBytes = 8 << 10

    func sendChunk(of reset: ListTransfer.Reset, _ sent: SentRows, into sink: any LineSink) {
        var sent = sent
        if isOvertaken(sent) { sent.isComplete = false }
        var rows = JSONWriter(capacity: Self.chunkBytes)
        var next = reset.next
        let items = sent.items.rows
        let fields = shown.request.fields
        while next < items.count, rows.count < Self.chunkBytes {
            sent.marking.record(of: items[next], in: documents, fields: fields)
                .write(to: &rows, fields: fields)
            next += 1
        }
        let isLast = next == items.count
        let message = ItemsReset(
            sub: id, gen: sent.gen, rev: sent.rev, token: documents.token(at: sent.rev),
            total: sent.total, start: sent.window.start, chunk: reset.chunk, last: isLast,
            complete: sent.isComplete && isLast, reason: reset.reason, items: [])
        windowPlace.remember(sent.window)
        sink.send { writer in
            writer.notification(ItemsReset.method) { writer in
                message.write(to: &writer) { $0.splice(rows) }
            }
        }
        if isLast {
            state = .following(sent)
            attributes?.viewHasChanged()
            followers.wereReset(to: sent)
        } else {
            let rest = ListTransfer.Reset(reason: reset.reason, chunk: reset.chunk + 1, next: next)
            state = .resetting(rest, sent)
        }
    }
}
