internal import WireProtocol

/// The limits of all layouts of a daemon together.
package struct LayoutLimits: Sendable {
    /// The most layouts at once. Another one fails with 1008.
    package var layouts = 256
    /// The most items in one layout. A longer list fails with 1008; if a list grows longer, its layout
    /// ends.
    package var items = 100_000
    /// The most items in all layouts together; the same applies.
    package var allItems = 1_000_000
    /// The most measured sizes that are kept for one client. Sizes of items that the client no longer has
    /// are dropped first; beyond that it is error 1008.
    package var sizes = 200_000
    /// The least number of keys that are remembered after their items have left, so that a client that does
    /// not know it yet can still name them without an error.
    package var departed = 20_000

    package init() {}
}

/// Counts the layouts and items against the limits.
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

    /// The reason why a layout can't grow or shrink from `before` to `count` items; nil if it can.
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
