// The user's wishes, once they are stored.

extension DocumentMarks {
    /// Marks a document according to a stored plan.
    func assign(_ plan: MarkPlan, to document: Document) {
        defer { checkInvariants() }
        let id = byKey[document.key] ?? freeID(plan.stored.id)
        if id != plan.stored.id { recordChange(plan.stored.id) }
        if plan.stored.marks.isEmpty { return forget(id, asStored: plan) }
        let file = MarkedFile(document)
        let before = entries[id]
        if before != nil { removeClaim(id) }
        entries[id] = Entry(
            marks: plan.stored.marks, visits: plan.stored.visits, file: file, latest: file,
            standing: .present(key: document.key, .certain))
        byKey[document.key] = id
        lowestVisits.set(id, plan.stored.visits)
        follow(plan, from: before, document.key)
        // It may have moved since it was planned.
        if id != plan.stored.id || file != plan.stored.file { recordChange(id) }
        displace(at: file.place, by: id)
        evictVisits()
    }

    /// Counts what a plan has made of an entry.
    private func follow(_ plan: MarkPlan, from before: Entry?, _ key: String?) {
        count(before?.marks ?? [], by: -1)
        count(plan.stored.marks, by: 1)
        if before?.visits != plan.stored.visits { recordRescored(key) }
    }

    private func forget(_ id: Int64, asStored plan: MarkPlan) {
        forget(id)
        // It is already removed from the store.
        if id == plan.stored.id { removed.remove(id) }
    }

    /// Removes a document's marks; the store follows later.
    func unmark(key: String) {
        defer { checkInvariants() }
        if let id = byKey[key] { forget(id) }
    }

    /// Marks a document that is missing.
    func assign(waiting plan: MarkPlan) {
        defer { checkInvariants() }
        let known = plan.key.flatMap { byKey[$0] }
        let id = known ?? plan.stored.id
        if var entry = entries[id] {
            guard !plan.stored.marks.isEmpty else { return forget(id, asStored: plan) }
            follow(plan, from: entry, entry.standing.key)
            entry.marks = plan.stored.marks
            entry.visits = plan.stored.visits
            entries[id] = entry
            lowestVisits.set(id, plan.stored.visits)
            if id != plan.stored.id || stored(id) != plan.stored { recordChange(id) }
            if id != plan.stored.id { recordChange(plan.stored.id) }
            return evictVisits()
        }
        if plan.stored.marks.isEmpty { return }
        entries[id] = Entry(
            marks: plan.stored.marks, visits: plan.stored.visits, file: plan.stored.file,
            latest: plan.stored.file, standing: .waiting(key: plan.key, since: now()))
        lowestVisits.set(id, plan.stored.visits)
        follow(plan, from: nil, plan.key)
        if let key = plan.key { byKey[key] = id }
        waitingCount += 1
        addClaim(id, plan.stored.file)
        recordChange(id)
        evict()
        evictVisits()
    }

    /// The most visits that are forgotten at once: one new visit displaces one, and there may be more from the store.
    private static let mostEvicted = 64

    /// Forgets the visits with the lowest scores, if there are too many.
    private func evictVisits() {
        for _ in 0..<Self.mostEvicted {
            guard visitedCount > mostVisited, let lowest = lowestVisits.first else { return }
            forgetVisits(lowest)
        }
    }

    private func forgetVisits(_ id: Int64) {
        guard var entry = entries[id] else { return }
        if entry.marks == .visited { return forget(id) }
        count(entry.marks, by: -1)
        entry.marks.remove(.visited)
        entry.visits = nil
        entries[id] = entry
        lowestVisits.set(id, nil)
        recordRescored(entry.standing.key)
        recordChange(id)
    }

    /// The id, unless another document has it now.
    private func freeID(_ id: Int64) -> Int64 { entries[id] == nil ? id : reserveID() }
}
