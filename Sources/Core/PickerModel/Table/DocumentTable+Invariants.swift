extension DocumentTable {
    /// In debug builds, traps if the columns, texts, indexes and counts do not agree.
    /// - Complexity: O(n) in debug builds, else O(1).
    package func checkInvariants() {
        #if DEBUG
        current.checkInvariants()
        texts.checkInvariants()
        byKey.checkInvariants(key: { columns.key(of: $0) }, rehash: { keyHash($0) })
        byPlace.checkInvariants { placeHash($0) }
        precondition(byKey.count == count && byPlace.count == count, "an index has other rows")
        var folderUses: [Int: Int] = [:]
        var keyUses: [Int: Int] = [:]
        var deviceUses: [UInt64: Int] = [:]
        var different = 0
        var far = 0
        var inUse = 0
        for row in 0..<rowEnd where columns.flags[row].contains(.inUse) {
            inUse += 1
            let key = columns.key(of: row)
            folderUses[Int(columns.folders[row]), default: 0] += 1
            deviceUses[devices[columns.device(of: row)], default: 0] += 1
            if !key.isMinted {
                keyUses[Int(key.number - KeyNumber.mintedLimit), default: 0] += 1
            }
            if columns.flags[row].contains(.difference) { different += 1 }
            if columns.flags[row].contains(.farTime) {
                far += 1
                precondition(farTimes[row] != nil, "row \(row) has no time")
            }
            precondition(texts.hasText(row), "row \(row) has no text")
            checkName(of: row)
            guard current.contains(row) else { continue }
            precondition(self.row(of: key)?.index == row, "row \(row) is not found by key")
            precondition(rowAtPlace(of: row) == row, "row \(row) is not found by place")
        }
        if let latestFolder { folderUses[latestFolder.number.index, default: 0] += 1 }
        precondition(inUse == rowsInUse, "\(inUse) rows are in use, not \(rowsInUse)")
        precondition(far == farTimes.count && texts.count == inUse)
        folders.checkInvariants(rows: folderUses)
        otherKeys.check(keyUses)
        devices.check(deviceUses)
        differences.checkInvariants { row, range in
            different -= 1
            precondition(columns.flags[row].contains(.difference), "row \(row)")
            precondition(Int(columns.nameForms[row]) == range.lowerBound, "row \(row)")
        }
        precondition(different == 0, "a row has no difference of its own")
        checkFreeRows(inUse: inUse)
        shortNames?.checkInvariants()
        #endif
    }

    #if DEBUG
    private func checkName(of row: Int) {
        var bytes: [UInt8] = []
        appendName(of: row, to: &bytes)
        let folded = FoldedName(String(decoding: bytes, as: UTF8.self))
        let isFolded = unsafe texts.text(of: row).elementsEqual(folded.searchBytes)
        precondition(isFolded, "the text of row \(row) is not its folded name")
        precondition(
            columns.lettersLess[row] == countedLess(of: row),
            "the letters of the name of row \(row)")
        var scratch = scratch
        let stored = StoredName(bytes.span, &scratch)
        let isStored =
            columns.flags[row].contains(.difference)
            ? unsafe stored?.difference?.elementsEqual(difference(of: row))
            : stored?.capitals == columns.nameForms[row]
        precondition(isStored == true, "the form of the name of row \(row)")
        precondition(columns.sortWords[row] == folded.keyPrefix, "the sort word of row \(row)")
    }

    private func checkFreeRows(inUse: Int) {
        var free = 0
        var next = firstFree
        while next != DocumentColumns.noRow {
            free += 1
            precondition(columns.flags[Int(next)].isEmpty && free <= rowEnd, "row \(next) is free")
            next = columns.folders[Int(next)]
        }
        precondition(free + inUse == rowEnd, "\(rowEnd - free - inUse) rows are lost")
    }
    #endif
}
