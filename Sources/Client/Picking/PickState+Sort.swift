internal import PickerClient

// The order of the list.

extension PickState {
    /// Whether there is a search that ranks documents.
    private var isRanked: Bool {
        reading.search != nil && reading.match == .fuzzy
    }

    /// The orders that ctrl-s goes through, the first one first.
    private var orders: [[String]] {
        var orders = options.sorts.filter { !$0.isEmpty }
        if orders.isEmpty { orders = [["date"]] }
        guard isRanked, !orders.contains(options.scoreSort) else { return orders }
        if options.hasChosenSort { return orders + [options.scoreSort] }
        return [options.scoreSort] + orders
    }

    /// The order without a reversal: that of the line, or that of the key, or the first.
    var order: [String] {
        if !reading.sort.isEmpty { return reading.sort }
        if let chosenSort, orders.contains(chosenSort) { return chosenSort }
        return orders[0]
    }

    /// The order of the list.
    package var sort: [String] {
        if !isReversed { return order }
        return order.map { $0.hasPrefix("-") ? String($0.dropFirst()) : "-" + $0 }
    }

    mutating func nextSort() {
        if !reading.sort.isEmpty {
            message = "The line says 'sort:': change it there"
            return
        }
        let orders = self.orders
        let index = orders.firstIndex(of: order) ?? 0
        change { $0.chosenSort = orders[(index + 1) % orders.count] }
    }

    mutating func reverseSort() { change { $0.isReversed.toggle() } }

    private mutating func change(_ body: (inout PickState) -> Void) {
        let before = sort
        body(&self)
        if sort != before { asksAnew(fromTop: false) }
    }
}
