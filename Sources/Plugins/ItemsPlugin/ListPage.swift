internal import ListRequests
internal import Observables
internal import PickerModel

/// One page of a list, found by the token of another page or by its number.
struct ListPage {
    /// How many items the list has.
    let total: Int
    let items: [PickerItem]
    let nextIndex: Int?
    let previousIndex: Int?
    private let start: PageToken.Boundary
    private let end: PageToken.Boundary

    /// - Complexity: O(log *n*) comparisons and row accesses besides the page itself, fewer if little has
    ///   changed since the token was made; O(*n*) once if the list is not sorted yet.
    init(_ request: PageRequest, of list: PickerList) {
        total = list.items.count
        let rows = Self.rows(request, of: list)
        items = list.items[rows]
        if let first = items.first, let last = items.last {
            start = .before(list.table.content(of: first))
            end = .after(list.table.content(of: last))
        } else {
            // An empty page after the end: it follows the page of the token, or the last row.
            let last = list.contents(max(0, total - 1)..<total).first
            let behind = request.token?.end ?? last.map { .after($0) } ?? .start
            start = behind
            end = behind
        }
        // A page reached by token can have any start, so rows may follow even the page with the highest
        // number.
        let hasNext = rows.upperBound < total && request.index < PageRequest.mostPages
        nextIndex = hasNext ? request.index + 1 : nil
        if request.index == 1 || rows.lowerBound == 0 {
            previousIndex = nil
        } else if request.token == nil {
            let pages = (total - 1) / request.size + 1
            previousIndex = min(request.index - 1, pages)
        } else {
            previousIndex = request.index - 1
        }
    }

    func token(for request: PageRequest, epoch: String) -> PageToken {
        PageToken(
            epoch: epoch, fingerprint: request.fingerprint, index: request.index, start: start,
            end: end)
    }

    private static func rows(
        _ request: PageRequest, of list: PickerList
    ) -> Range<Int> {
        let total = list.items.count
        let size = request.size
        func times(_ count: Int) -> Int {
            let (product, isOver) = count.multipliedReportingOverflow(by: size)
            return isOver ? .max : product
        }
        func page(from lower: Int) -> Range<Int> {
            let lower = min(lower, total)
            return lower..<(lower + min(size, total - lower))
        }
        let counted = min(times(request.index - 1), total)
        guard let token = request.token else { return page(from: counted) }
        let search = RowSearch(list: list, order: request.list.sortOrder)
        if request.index == token.index {
            return page(from: search.row(of: token.start, near: counted))
        }
        if request.index > token.index {
            let end = search.row(of: token.end, near: counted)
            let (lower, isOver) = end.addingReportingOverflow(
                times(request.index - token.index - 1))
            return page(from: isOver ? total : lower)
        }
        let start = search.row(of: token.start, near: min(counted + size, total))
        let upper = max(0, start - times(token.index - request.index - 1))
        return max(0, upper - size)..<upper
    }
}

/// Finds the row of a boundary in the current list.
private struct RowSearch {
    let list: PickerList
    let order: SortOrder

    /// The number of rows before the boundary. Probes rows near `guess` first.
    func row(of boundary: PageToken.Boundary, near guess: Int) -> Int {
        // Invariant: rows below `low` are before the boundary, rows from `high` on are after it.
        var low = 0
        var high = list.items.count
        if high == 0 { return 0 }
        // Doubles the step until the boundary is enclosed, then bisects.
        var step = 1
        var probe = min(guess, high - 1)
        var isBelow = isBefore(boundary, row: probe)
        let goesUp = isBelow
        while true {
            if isBelow { low = probe + 1 } else { high = probe }
            if isBelow != goesUp || low == high { break }
            probe = goesUp ? min(low + step - 1, high - 1) : max(high - step, low)
            step *= 2
            isBelow = isBefore(boundary, row: probe)
        }
        while low < high {
            let probe = low + (high - low) / 2
            if isBefore(boundary, row: probe) { low = probe + 1 } else { high = probe }
        }
        return low
    }

    private func isBefore(_ boundary: PageToken.Boundary, row: Int) -> Bool {
        switch boundary {
        case .start: false
        case .before(let anchor): compare(content(row), anchor) < 0
        case .after(let anchor): compare(content(row), anchor) <= 0
        }
    }

    private func content(_ row: Int) -> ItemContent { list.table.content(of: list.items[row]) }

    /// The "new document" item sorts before all documents.
    private func compare(_ left: ItemContent, _ right: ItemContent) -> Int {
        switch (left, right) {
        case (.document(let left), .document(let right)): order.compare(left, right)
        case (.newDocument, .newDocument): 0
        case (.newDocument, .document): -1
        case (.document, .newDocument): 1
        }
    }
}
