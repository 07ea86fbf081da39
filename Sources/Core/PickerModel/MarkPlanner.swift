// Plans several wishes on top of each other, before any of them is stored or visible.
//
// A plan says how a mark is to be stored. Its basis may change before that: the document may move or go, which
// `DocumentStore.mark` takes into account.

/// The user's wish for a document.
package enum MarkWish: Hashable, Sendable {
    /// Liked or not; nil toggles.
    case like(Bool?)
    case drop
    /// In lists again.
    case restore
    /// Visited at that time, in seconds since 1970.
    case visit(Double)

    func applied(to marks: Marks) -> Marks {
        switch self {
        case .like(let isLiked):
            isLiked ?? !marks.contains(.liked)
                ? marks.union(.liked) : marks.subtracting(.liked)
        case .drop: marks.union(.dropped)
        case .restore: marks.subtracting(.dropped)
        case .visit: marks.union(.visited)
        }
    }

    func applied(to visits: VisitScore?) -> VisitScore? {
        if case .visit(let now) = self { VisitScore(visitedAt: now, after: visits) } else { visits }
    }
}

/// A mark to be stored.
package struct MarkPlan: Hashable, Sendable {
    /// The key of its document; nil if the file has not been seen in this run.
    package let key: String?
    /// Removed from the store if it has no marks.
    package var stored: StoredMark
}

/// The result of planning a wish.
package enum PlannedMarks: Hashable, Sendable {
    /// The document's future marks.
    case planned(Marks)
    case noDocument
    /// The limit of marks is reached.
    case noRoom
}

/// Plans wishes.
package struct MarkPlanner {
    private let documents: DocumentStore
    private var order: [Int64] = []
    private var plans: [Int64: MarkPlan] = [:]
    private var newIDs: [String: Int64] = [:]
    /// The number of plans at the last `begin`.
    private var plansBefore = 0
    /// The undo log since then: the replaced plan, or nil for a new one.
    private var replaced: [(id: Int64, plan: MarkPlan?)] = []
    private var newKeys: [String] = []

    /// Nothing planned yet.
    package init(for documents: DocumentStore) {
        self.documents = documents
    }

    /// Begins a group of wishes that are planned all or not at all.
    /// - Complexity: O(k) for k wishes planned since the last `begin`.
    package mutating func begin() {
        replaced.removeAll(keepingCapacity: true)
        newKeys.removeAll(keepingCapacity: true)
        plansBefore = order.count
    }

    /// Rolls back the plans since the last `begin`. Reserved ids stay unused.
    /// - Complexity: O(k) for k wishes planned since.
    package mutating func takeBack() {
        for (id, plan) in replaced.reversed() { plans[id] = plan }
        for key in newKeys { newIDs[key] = nil }
        order.removeSubrange(plansBefore...)
        begin()
    }

    /// Plans a wish for the document with that key.
    package mutating func plan(_ wish: MarkWish, for key: String) -> PlannedMarks {
        guard let document = documents[key: key] else { return .noDocument }
        let book = documents.marks
        let id: Int64
        if let known = book.byKey[key] ?? newIDs[key] {
            id = known
        } else {
            if wish.applied(to: Marks()).isEmpty { return .planned([]) }
            guard book.count + newIDs.count < DocumentMarks.most else { return .noRoom }
            id = book.reserveID()
            newIDs[key] = id
            newKeys.append(key)
        }
        let known = plans[id]?.stored
        let marks = wish.applied(to: known?.marks ?? book.marks(of: key))
        let visits = wish.applied(to: known == nil ? book.visits(of: key) : known?.visits)
        setPlan(
            MarkPlan(
                key: key,
                stored: StoredMark(
                    id: id, marks: marks, visits: visits, file: MarkedFile(document))))
        return .planned(marks)
    }

    /// Plans to restore all dropped documents, present or missing.
    package mutating func planRestoringAll() {
        let book = documents.marks
        for id in Set(book.droppedIDs).union(order).sorted() {
            var plan =
                plans[id] ?? MarkPlan(key: book.entries[id]?.standing.key, stored: book.stored(id))
            guard plan.stored.marks.contains(.dropped) else { continue }
            plan.stored.marks.remove(.dropped)
            setPlan(plan)
        }
    }

    private mutating func setPlan(_ plan: MarkPlan) {
        let id = plan.stored.id
        let before = plans.updateValue(plan, forKey: id)
        if before == nil { order.append(id) }
        replaced.append((id, before))
    }

    /// The plans that change something, in the order of their first wish.
    package var changes: [MarkPlan] {
        order.compactMap { id in
            guard let plan = plans[id] else { return nil }
            let before = documents.marks.entries[id]
            let isSame =
                before?.marks ?? [] == plan.stored.marks && before?.visits == plan.stored.visits
            return isSame ? nil : plan
        }
    }
}
