package import PickerModel
package import SystemdEventLoop

/// Waits until the documents have been read on whose attributes a one-time request depends, ten seconds at most.
package final class AttributeWait {
    package static let limit = Duration.seconds(10)

    private let use: AttributeUse
    private let loop: any EventLoop
    private var timer: (any TimerSource)?
    private var done: (() -> Void)?

    /// Nil if nothing is to be waited for: what is only shown is read for those who look at a list.
    package init?(_ use: AttributeUse?, on loop: any EventLoop) {
        guard let use, !use.wish.needed.isEmpty else { return nil }
        self.use = use
        self.loop = loop
    }

    /// Calls `body` once, later.
    package func whenDone(_ body: @escaping () -> Void) {
        done = body
        use.whenPendingChanges = { [weak self] in
            guard let self, use.isSettled else { return }
            // Not while the documents change.
            loop.enqueue { [weak self] in self?.end() }
        }
        timer = try? loop.schedule(after: Self.limit) { [weak self] in self?.end() }
        if timer == nil || use.isSettled { loop.enqueue { [weak self] in self?.end() } }
    }

    package func cancel() {
        done = nil
        timer = nil
        use.whenPendingChanges = nil
    }

    private func end() {
        let body = done
        cancel()
        body?()
    }

    /// The documents that have not been read, by the name of the attribute, where there are any.
    package func pending(_ known: AttributeDirectory) -> [String: Int] {
        var pending: [String: Int] = [:]
        for attribute in use.wish.needed {
            let count = use.pending?[attribute] ?? 0
            if count > 0 { pending[known.name(of: attribute)] = count }
        }
        return pending
    }
}
