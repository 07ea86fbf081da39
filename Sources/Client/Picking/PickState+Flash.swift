internal import PickerClient

// What changes is lit up for a moment, if that is wanted.

extension PickState {
    /// Notes the documents that differ from what they were in the rows before, or are new there.
    mutating func flash(from old: RowsUpdate?, to new: RowsUpdate) {
        guard options.flashes, let old, old.query == new.query else { return }
        let before = Dictionary(
            old.items.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        // A row that was not there is new only if all rows were there: otherwise it may have come with another window.
        let hadAll = old.isComplete && old.items.count == old.total
        let changed = new.items.filter { item in
            guard let former = before[item.key] else { return hadAll }
            return former.modified != item.modified || former.size != item.size
                || former.name != item.name || former.path != item.path
                || former.isLiked != item.isLiked
        }
        var last = lastNumber
        flashing.add(changed.map(\.key)) {
            last += 1
            return last
        }
        lastNumber = last
    }

    mutating func ageFlash() {
        var last = lastNumber
        flashing.age {
            last += 1
            return last
        }
        lastNumber = last
    }
}
