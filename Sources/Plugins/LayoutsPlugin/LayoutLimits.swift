internal import WireProtocol

/// What all layouts of a daemon together may take.
package struct LayoutLimits: Sendable {
    /// The most layouts at once. One more is refused with 1008.
    package var layouts = 256
    /// The most items in one. A longer list is refused with 1008; if it grows longer, the layout ends.
    package var items = 100_000
    /// The most items in all of them together, likewise.
    package var allItems = 1_000_000
    /// The most measured sizes that are kept for one client. Those of items that it has no more go
    /// first; then it is 1008.
    package var sizes = 200_000
    /// The keys of how many items, at least, are remembered after they have left a layout, so that what a
    /// client says of them before it knows is no error.
    package var departed = 20_000

    package init() {}
}

/// Counts what there is against the limits.
final class LayoutLedger {
    let limits: LayoutLimits
    private(set) var layouts = 0
    private(set) var items = 0

    init(_ limits: LayoutLimits) {
        self.limits = limits
    }

    /// Whether there is room for a layout of a list of `count` items.
    func admit(_ count: Int) throws(ProtocolError) {
        if layouts >= limits.layouts {
            throw .limitExceeded(
                limit: limits.layouts,
                "\(limits.layouts) layouts are open, which is all there may be: close one first")
        }
        if let reason = reasonAgainst(count, insteadOf: 0) {
            throw .limitExceeded(limit: min(limits.items, limits.allItems), reason)
        }
    }

    /// Why a layout can't have `count` items where it had `before`; nil if it can.
    func reasonAgainst(_ count: Int, insteadOf before: Int) -> String? {
        if count > limits.items {
            return "the list has \(count) items and a layout takes \(limits.items): "
                + "give the list a smaller window"
        }
        if items - before + count > limits.allItems {
            return "all layouts together would have \(items - before + count) items and may have "
                + "\(limits.allItems): close one, or give a list a smaller window"
        }
        return nil
    }

    func opened() { layouts += 1 }

    func closed(with count: Int) {
        layouts -= 1
        items -= count
    }

    func changed(from before: Int, to count: Int) { items += count - before }
}
