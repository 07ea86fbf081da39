internal import JSONText
internal import Observables
internal import WireProtocol

// Applying the daemon's messages to the items.

extension LiveList {
    func receive(_ notification: RequestEnvelope) {
        guard case .open(let sub, let hasItems, let chunks) = phase,
            let params = notification.params
        else { return }
        do throws(MessageError) {
            switch notification.method {
            case "\(ItemsReset.method)":
                try take(try ItemsReset(decoding: params), sub, hasItems, chunks)
            case "\(ItemsDelta.method)":
                guard hasItems, chunks == nil else {
                    throw MessageError(at: "", "a delta came before the items it changes")
                }
                try take(try ItemsDelta(decoding: params))
            default: return
            }
        } catch {
            disagree(error.description)
        }
    }

    private func take(
        _ reset: ItemsReset, _ sub: RequestID, _ hasItems: Bool, _ chunks: [ListItem]?
    ) throws(MessageError) {
        try checkGeneration(reset.gen)
        // A first chunk before the last reset was complete: the daemon has started over.
        var gathered = reset.chunk == 0 ? [] : chunks ?? []
        if reset.chunk > 0, chunks == nil {
            throw MessageError(at: "", "chunk \(reset.chunk) came without those before it")
        }
        // Clears the phase's reference to the chunks: otherwise each chunk would copy all previous ones.
        phase = .open(sub: sub, hasItems: hasItems, chunks: nil)
        gathered.append(contentsOf: reset.items.map { ListItem($0) })
        try checkWindow(
            gathered.count, start: reset.start, total: reset.total, gen: reset.gen)
        guard reset.last else {
            phase = .open(sub: sub, hasItems: hasItems, chunks: gathered)
            return
        }
        phase = .open(sub: sub, hasItems: true, chunks: nil)
        let before = items
        let isNewHistory = Self.epoch(of: reset.token) != Self.epoch(of: token)
        items = gathered
        rev = reset.rev
        token = reset.token
        total = reset.total
        start = reset.start
        isComplete = reset.complete
        reach(gen: reset.gen)
        mirror?.take(
            gathered, total: total, isComplete: isComplete, inNewHistory: isNewHistory)
        onChange?(.reset(before: before, reason: reset.reason, isNewHistory: isNewHistory))
    }

    private static func epoch(of token: String) -> Substring { token.prefix { $0 != ":" } }

    private func take(_ delta: ItemsDelta) throws(MessageError) {
        try checkGeneration(delta.gen)
        guard delta.from == rev else {
            throw MessageError(
                at: "", "a delta from revision \(delta.from), the items are at \(rev)")
        }
        guard delta.to >= delta.from else {
            throw MessageError(
                at: "", "a delta from revision \(delta.from) back to \(delta.to)")
        }
        let before = items
        var after = try delta.arrange(before) { ListItem($0.item) }
        let edits = try Self.edits(delta, before, &after)
        try checkWindow(after.count, start: delta.start, total: delta.total, gen: delta.gen)
        items = after
        rev = delta.to
        token = delta.token
        total = delta.total
        start = delta.start
        isComplete = delta.complete
        reach(gen: delta.gen)
        mirror?.take(edits, total: total, isComplete: isComplete)
        onChange?(.edits(edits))
    }

    /// Patches `after`, and returns the edits of the delta.
    private static func edits(
        _ delta: ItemsDelta, _ before: [ListItem], _ after: inout [ListItem]
    ) throws(MessageError) -> [ListEdit] {
        var edits: [ListEdit] = []
        for index in delta.deleted { edits.append(.deleted(before[index], at: index)) }
        for update in delta.updated {
            guard after.indices.contains(update.index) else {
                throw MessageError(
                    at: "updated", "index \(update.index) is outside the \(after.count) items")
            }
            let old = after[update.index]
            var record = old.record
            try record.apply(update.changes)
            after[update.index] = ListItem(record)
            edits.append(.updated(after[update.index], at: update.index, before: old))
        }
        for move in delta.moved {
            edits.append(.moved(after[move.to], from: move.from, to: move.to))
        }
        for insertion in delta.inserted {
            edits.append(.inserted(after[insertion.index], at: insertion.index))
        }
        return edits
    }
}
