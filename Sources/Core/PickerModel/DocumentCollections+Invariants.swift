internal import Observables

extension DocumentCollections {
    /// In debug builds, traps if a bit is not what the folders say.
    func checkInvariants() {
        #if DEBUG
        var finder = AreaFinder(rootsOutside.map(\.area), in: table)
        for index in table.current {
            let row = DocumentRow(index)
            let place = finder.place(of: table.folder(of: row))
            precondition(outside.contains(index) == (place != nil), "row \(index) is misplaced")
            precondition(
                outsideDropped.contains(index) == (place != nil && table.isDropped(row)),
                "row \(index) is marked otherwise")
            for (other, root) in rootsOutside.enumerated() {
                precondition(
                    root.rows.contains(index) == (other == place),
                    "row \(index) is not as the root \(root.area.root) has it")
            }
        }
        for index in outside { precondition(table.current.contains(index), "row \(index) is gone") }
        precondition(
            rootsOutside.reduce(0) { $0 + $1.rows.count } == outside.count
                && Set(rootsOutside.map(\.area.root)) == outsideRoots,
            "the roots outside have other rows")
        for subset in allSubsets {
            precondition(
                subset.bits.map(\.self) == plainRows(of: subset.range),
                "a subset is not what it should be")
            precondition(
                subset.rows.value == Set(subset.bits.map { DocumentRow($0) }), "bits differ")
        }
        #endif
    }

    #if DEBUG
    /// The plain function that defines which rows a range has.
    private func plainRows(of range: DocumentRange) -> [Int] {
        let names = range.collections.names
        var finder = AreaFinder(names.flatMap { known[$0]?.areas ?? [] }, in: table)
        return table.current.filter { index in
            let row = DocumentRow(index)
            let isMarked =
                switch range.part {
                case .all: true
                case .dropped: table.isDropped(row)
                case .listed: !table.isDropped(row)
                }
            return isMarked
                && (names.contains(CollectionSet.documentsName) && !outside.contains(index)
                    || finder.contains(table.folder(of: row)))
        }
    }
    #endif
}
