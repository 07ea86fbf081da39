package import EventLoops
package import PickerModel

/// Waits until the documents have been read on whose attributes a one-time request depends, and then the rows of its answer
/// for what is only shown of them; ten seconds at most for both.
package final class AttributeWait {
    package static let limit = Duration.seconds(10)

    private let use: AttributeUse
    private let waitsForShown: Bool
    private let loop: any EventLoop
    private var timer: (any TimerSource)?
    private var isOver = false
    private var done: (() -> Void)?

    /// Nil if nothing is to be waited for: who wants all that is known has that.
    package init?(_ use: AttributeUse?, of request: ListRequest, on loop: any EventLoop) {
        guard let use else { return nil }
        waitsForShown = request.namesShownAttributes && !use.wish.shown.isEmpty
        if use.wish.needed.isEmpty, !waitsForShown { return nil }
        self.use = use
        self.loop = loop
    }

    /// Calls `body` once, later, when the documents have been read on which the request depends.
    package func whenDone(_ body: @escaping () -> Void) {
        done = body
        use.whenPendingChanges = { [weak self] in
            guard let self, use.isSettled else { return }
            // Not while the documents change.
            loop.enqueue { [weak self] in self?.end() }
        }
        if timer == nil {
            timer = try? loop.schedule(after: Self.limit) { [weak self] in
                self?.isOver = true
                self?.end()
            }
            isOver = timer == nil
        }
        if isOver || use.isSettled { loop.enqueue { [weak self] in self?.end() } }
    }

    /// Whether nothing is to be waited for before an answer with these rows.
    package func isDone(for rows: ShownRows) -> Bool {
        if !waitsForShown || isOver { return true }
        return use.isSettled && (use.awaited?.hasDocuments(of: rows) ?? false)
    }

    /// Calls `body` once, later, when these rows have been read.
    package func whenDone(for rows: ShownRows, _ body: @escaping () -> Void) {
        use.awaited = rows
        whenDone(body)
    }

    package func cancel() {
        done = nil
        timer = nil
        use.whenPendingChanges = nil
        use.awaited = nil
    }

    private func end() {
        let body = done
        done = nil
        use.whenPendingChanges = nil
        body?()
    }

    /// The documents that have not been read, by the name of the attribute, where there are any.
    package func pending(_ known: AttributeDirectory) -> [String: Int] {
        var pending: [String: Int] = [:]
        for (attribute, count) in use.pending ?? [:] where count > 0 {
            pending[known.name(of: attribute)] = count
        }
        return pending
    }
}

extension ShownRows {
    /// Whether both are rows of the same documents, in the same order.
    fileprivate func hasDocuments(of other: ShownRows) -> Bool {
        if count != other.count { return false }
        return zip(rows, other.rows).allSatisfy { one, two in
            guard let one = one.item?.row, let two = two.item?.row else { return one == two }
            return one == two || table.key(of: one) == table.key(of: two)
        }
    }
}
