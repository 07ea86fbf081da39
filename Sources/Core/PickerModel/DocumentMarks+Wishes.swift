// The user's wishes, once they are stored.

extension DocumentMarks {
    /// Marks a document according to a stored plan.
    func assign(_ plan: MarkPlan, to document: Document) {
        defer { checkInvariants() }
        let id = byKey[document.key] ?? freeID(plan.stored.id)
        if id != plan.stored.id { recordChange(plan.stored.id) }
        if plan.stored.marks.isEmpty { return forget(id, asStored: plan) }
        let file = MarkedFile(document)
        if entries[id] != nil { removeClaim(id) }
        entries[id] = Entry(
            marks: plan.stored.marks, file: file, latest: file,
            standing: .present(key: document.key, .certain))
        byKey[document.key] = id
        // It may have moved since it was planned.
        if id != plan.stored.id || file != plan.stored.file { recordChange(id) }
        displace(at: file.place, by: id)
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
            entry.marks = plan.stored.marks
            entries[id] = entry
            if id != plan.stored.id || stored(id) != plan.stored { recordChange(id) }
            if id != plan.stored.id { recordChange(plan.stored.id) }
            return
        }
        if plan.stored.marks.isEmpty { return }
        entries[id] = Entry(
            marks: plan.stored.marks, file: plan.stored.file, latest: plan.stored.file,
            standing: .waiting(key: plan.key, since: now()))
        if let key = plan.key { byKey[key] = id }
        waitingCount += 1
        addClaim(id, plan.stored.file)
        recordChange(id)
        evict()
    }

    /// The id, unless another document has it now.
    private func freeID(_ id: Int64) -> Int64 { entries[id] == nil ? id : reserveID() }
}
