// How documents get their marks and lose them.

extension DocumentMarks {
    /// Returns the marks of a new or changed document, or nil if it has none.
    func claim(by document: Document) -> Marks? {
        defer { checkInvariants() }
        if let id = byKey[document.key] {
            follow(id, MarkedFile(document), document.key)
            return entries[id]?.marks
        }
        guard let (id, evidence) = bestClaim(of: MarkedFile(document)) else { return nil }
        attach(id, to: document, by: evidence)
        return entries[id]?.marks
    }

    /// Detaches the mark of a document that is gone.
    func detach(_ document: Document) {
        defer { checkInvariants() }
        guard let id = byKey[document.key], var entry = entries[id],
            case .present(let key, let evidence) = entry.standing
        else { return }
        // The end of a provisional claim leaves the mark as it was.
        if isSettled || evidence == .certain { entry.file = entry.latest }
        removeClaim(id)
        entry.latest = entry.file
        entry.standing = .waiting(key: key, since: now())
        entries[id] = entry
        waitingCount += 1
        addClaim(id, entry.file)
        recordChange(id)
        evict()
    }

    /// Removes and returns the keys of documents that have lost their marks to others.
    func takeUnmarkedKeys() -> [String] {
        defer { unmarkedKeys = [] }
        return unmarkedKeys
    }

    private func follow(_ id: Int64, _ file: MarkedFile, _ key: String) {
        guard var entry = entries[id] else { return }
        switch entry.standing {
        case .present(_, let evidence):
            if entry.latest == file { return }
            if isSettled || evidence == .certain { entry.file = file }
        case .waiting:
            removeClaim(id)
            waitingCount -= 1
            entry.file = file
            entry.standing = .present(key: key, .certain)
        }
        entry.latest = file
        entries[id] = entry
        recordChange(id)
        displace(at: file.place, by: id)
    }

    private func attach(_ id: Int64, to document: Document, by evidence: Evidence) {
        guard var entry = entries[id] else { return }
        if entry.visits != nil {
            recordRescored(entry.standing.key)
            recordRescored(document.key)
        }
        switch entry.standing {
        case .present(let key, _):
            byKey[key] = nil
            unmarkedKeys.append(key)
        case .waiting(let key, _):
            if let key { byKey[key] = nil }
            waitingCount -= 1
        }
        let isForGood = isSettled || evidence == .certain
        if isForGood { removeClaim(id) }
        entry.latest = MarkedFile(document)
        if isForGood { entry.file = entry.latest }
        entry.standing = .present(key: document.key, isForGood ? .certain : evidence)
        byKey[document.key] = id
        entries[id] = entry
        recordChange(id)
        displace(at: entry.latest.place, by: id)
    }

    // MARK: Claims

    private func bestClaim(of file: MarkedFile) -> (id: Int64, Evidence)? {
        var best: (id: Int64, evidence: Evidence)?
        func consider(_ id: Int64) {
            guard let entry = entries[id], let evidence = evidence(for: file, against: entry.file)
            else { return }
            if case .present(_, let held) = entry.standing, held >= evidence { return }
            if let best, (best.evidence, -best.id) >= (evidence, -id) { return }
            best = (id, evidence)
        }
        if let id = places[file.place] { consider(id) }
        if file.isFile {
            for id in inodes[file.inode] ?? [] { consider(id) }
        }
        return best.map { ($0.id, $0.evidence) }
    }

    private func evidence(for file: MarkedFile, against known: MarkedFile) -> Evidence? {
        if file.place == known.place { return file.inode == known.inode ? .certain : .place }
        return file.hasContent(of: known) ? .content : nil
    }

    func addClaim(_ id: Int64, _ file: MarkedFile) {
        places[file.place] = id
        if file.isFile { inodes[file.inode, default: []].append(id) }
    }

    /// Removes a mark from those that can be claimed, if it is one of them.
    func removeClaim(_ id: Int64) {
        guard let file = entries[id]?.file else { return }
        if places[file.place] == id { places[file.place] = nil }
        guard let waiting = inodes[file.inode] else { return }
        let others = waiting.filter { $0 != id }
        inodes[file.inode] = others.isEmpty ? nil : others
    }

    /// Drops the mark that waits for another file at the path of a marked document: that file can no longer
    /// return there.
    func displace(at place: DocumentPlace, by id: Int64) {
        guard isSettled, let other = places[place], other != id else { return }
        forget(other)
    }

    /// Makes claims final, after all folders have been scanned.
    /// - Complexity: O(*n*) in the number of marks.
    package func settle() {
        guard !isSettled else { return }
        defer { checkInvariants() }
        isSettled = true
        var taken: Set<DocumentPlace> = []
        for (id, entry) in entries {
            guard case .present(let key, _) = entry.standing else { continue }
            removeClaim(id)
            taken.insert(entry.latest.place)
            entries[id]?.standing = .present(key: key, .certain)
            if entry.file == entry.latest { continue }
            entries[id]?.file = entry.latest
            recordChange(id)
        }
        for (id, entry) in entries {
            guard case .waiting(let key, let since) = entry.standing else { continue }
            if taken.contains(entry.file.place) {
                forget(id)
            } else if since == nil {
                entries[id]?.standing = .waiting(key: key, since: now())
                recordChange(id)
            }
        }
        evict()
        onChange?()
    }

    /// Makes claims provisional again: folders are scanned for the first time.
    package func unsettle() { isSettled = false }

    func evict() {
        guard isSettled, waitingCount > mostGone else { return }
        // More than necessary, so that it is not repeated for each new one.
        let waiting = entries.compactMap { id, entry -> (wish: Int, since: Int64, id: Int64)? in
            guard case .waiting(_, let since) = entry.standing else { return nil }
            return (entry.marks == .visited ? 0 : 1, since ?? .max, id)
        }
        let surplus = waitingCount - (mostGone - mostGone / 16)
        for mark in waiting.sorted(by: { $0 < $1 }).prefix(surplus) { forget(mark.id) }
    }

    func forget(_ id: Int64) {
        guard let entry = entries[id] else { return }
        removeClaim(id)
        if let key = entry.standing.key { byKey[key] = nil }
        if case .waiting = entry.standing { waitingCount -= 1 }
        count(entry.marks, by: -1)
        if entry.visits != nil { recordRescored(entry.standing.key) }
        entries[id] = nil
        lowestVisits.set(id, nil)
        recordChange(id)
    }
}
