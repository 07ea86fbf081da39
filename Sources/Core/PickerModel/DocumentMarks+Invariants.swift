extension DocumentMarks {
    /// In debug builds, traps if the indexes and the marks do not agree.
    /// - Complexity: O(*n*) in debug builds, else O(1).
    func checkInvariants() {
        #if DEBUG
        // Only small states are checked, as tests have.
        guard entries.count <= 64 else { return }
        var waiting = 0
        let visited = entries.values.filter { $0.marks.contains(.visited) }
        precondition(visited.count == visitedCount, "\(visitedCount) are counted as visited")
        let only = visited.count { $0.marks == .visited }
        precondition(entries.count - only == wishedCount, "\(wishedCount) are counted as wished")
        precondition(lowestVisits.count == visitedCount, "\(visitedCount) have scores")
        for (id, entry) in entries {
            precondition(lowestVisits.score(of: id) == entry.visits, "the score of mark \(id)")
            precondition(!entry.marks.isEmpty, "mark \(id) is empty")
            precondition(
                entry.marks.contains(.visited) == (entry.visits != nil), "the visits of mark \(id)")
            let isClaimable = inodes[entry.file.inode]?.contains(id) ?? false
            // Items of sources are found by their places alone.
            let isFile = entry.file.isFile
            precondition(isFile || !isClaimable, "mark \(id) is that of no file")
            switch entry.standing {
            case .present(let key, let evidence):
                precondition(byKey[key] == id, "mark \(id) is not found by its key")
                let isProvisional = !isSettled && evidence != .certain
                precondition(
                    !isFile || isClaimable == isProvisional, "claims of mark \(id): \(isClaimable)")
            case .waiting(let key, _):
                waiting += 1
                precondition(!isFile || isClaimable, "waiting mark \(id) can't be claimed")
                if let key { precondition(byKey[key] == id, "mark \(id) has lost its key") }
            }
        }
        precondition(waiting == waitingCount, "\(waitingCount) marks are counted as waiting")
        precondition(byKey.values.allSatisfy { entries[$0] != nil }, "a key has no mark")
        for (place, id) in places {
            precondition(entries[id]?.file.place == place, "a place leads to mark \(id)")
        }
        for (inode, ids) in inodes {
            precondition(
                !ids.isEmpty && Set(ids).count == ids.count
                    && ids.allSatisfy { entries[$0]?.file.inode == inode },
                "inode \(inode) leads to other marks")
        }
        #endif
    }
}
