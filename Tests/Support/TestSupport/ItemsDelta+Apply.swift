// A client's window, as simple as can be: the whole of a delta applied to records.

package import WireProtocol

extension ItemsDelta {
    /// Updates a window from revision `from` to `to`.
    ///
    /// - Throws: when an index is out of range or repeated, or a member is of the wrong type; the items are then
    ///   unchanged.
    package func apply(to items: inout [ItemRecord]) throws(MessageError) {
        var changed = try arrange(items) { $0.item }
        for (order, update) in updated.enumerated() {
            guard changed.indices.contains(update.index) else {
                throw MessageError(
                    at: "updated[\(order)]", "index \(update.index) of \(changed.count) items")
            }
            try changed[update.index].apply(update.changes)
        }
        items = changed
    }
}
