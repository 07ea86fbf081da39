// What the user says of documents, once it is stored.

extension DocumentMarks {
    /// Marks a document as was planned and stored.
    func assign(_ plan: MarkPlan, to document: Document) {
        defer { checkInvariants() }
        let id = byKey[document.key] ?? freeID(plan.stored.id)
        if id != plan.stored.id { note(plan.stored.id) }
        if plan.stored.marks.isEmpty { return forget(id, asStored: plan) }
        let file = MarkedFile(document)
        if entries[id] != nil { withdraw(id) }
        entries[id] = Entry(
            marks: plan.stored.marks, file: file, latest: file,
            standing: .present(key: document.key, .certain))
        byKey[document.key] = id
        // It may have moved on since it was planned.
        if id != plan.stored.id || file != plan.stored.file { note(id) }
        displace(at: file.place, by: id)
    }

    private func forget(_ id: Int64, asStored plan: MarkPlan) {
        forget(id)
        // It is gone from the store already.
        if id == plan.stored.id { removed.remove(id) }
    }

    /// Forgets what a document is marked with, which is stored later.
    func unmark(key: String) {
        defer { checkInvariants() }
        if let id = byKey[key] { forget(id) }
    }

    /// Marks what is not there, or not any more.
    func assign(waiting plan: MarkPlan) {
        defer { checkInvariants() }
        let known = plan.key.flatMap { byKey[$0] }
        let id = known ?? plan.stored.id
        if var entry = entries[id] {
            guard !plan.stored.marks.isEmpty else { return forget(id, asStored: plan) }
            entry.marks = plan.stored.marks
            entries[id] = entry
            if id != plan.stored.id || stored(id) != plan.stored { note(id) }
            if id != plan.stored.id { note(plan.stored.id) }
            return
        }
        if plan.stored.marks.isEmpty { return }
        entries[id] = Entry(
            marks: plan.stored.marks, file: plan.stored.file, latest: plan.stored.file,
            standing: .waiting(key: plan.key, since: now()))
        if let key = plan.key { byKey[key] = id }
        waitingCount += 1
        offer(id, plan.stored.file)
        note(id)
        evict()
    }

    /// That id, unless it has come to be another document's.
    private func freeID(_ id: Int64) -> Int64 { entries[id] == nil ? id : reserveID() }
}
