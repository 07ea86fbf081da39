// Several wishes planned on top of each other, before any of them is stored or shows.
//
// A plan says how a mark is to be stored. What it is based on may change until it has been: the
// document may move or go, which `DocumentStore.mark` takes into account.

/// What the user wants of a document.
package enum MarkWish: Hashable, Sendable {
    /// Liked or not; nil for the other way round.
    case like(Bool?)
    case drop
    /// In lists again.
    case restore

    func applied(to marks: Marks) -> Marks {
        switch self {
        case .like(let isLiked):
            isLiked ?? !marks.contains(.liked)
                ? marks.union(.liked) : marks.subtracting(.liked)
        case .drop: marks.union(.dropped)
        case .restore: marks.subtracting(.dropped)
        }
    }
}

/// How a mark is to be stored.
package struct MarkPlan: Hashable, Sendable {
    /// Its document; nil for a mark whose file has not been seen in this run.
    package let key: String?
    /// Without marks, it is to go.
    package var stored: StoredMark
}

/// What came of planning a wish.
package enum PlannedMarks: Hashable, Sendable {
    /// What the document will be marked with.
    case planned(Marks)
    case noDocument
    /// There are as many marks as there may be.
    case noRoom
}

/// Plans wishes.
package struct MarkPlanner {
    private let documents: DocumentStore
    private var order: [Int64] = []
    private var plans: [Int64: MarkPlan] = [:]
    private var newIDs: [String: Int64] = [:]
    /// What was done since `begin`, as it was before: a plan that was replaced, or none.
    private var replaced: [(id: Int64, plan: MarkPlan?)] = []
    private var newKeys: [String] = []

    /// Nothing planned yet.
    package init(for documents: DocumentStore) {
        self.documents = documents
    }

    /// A place to take the plans back to.
    package struct Beginning {
        fileprivate let plans: Int
    }

    /// Begins with wishes that are all to be planned, or none.
    /// - Complexity: O(k) for k wishes planned since the last time.
    package mutating func begin() -> Beginning {
        replaced.removeAll(keepingCapacity: true)
        newKeys.removeAll(keepingCapacity: true)
        return Beginning(plans: order.count)
    }

    /// Takes back what was planned since the beginning, the last one. Numbers that were reserved stay unused.
    /// - Complexity: O(k) for k wishes planned since.
    package mutating func takeBack(to beginning: Beginning) {
        for (id, plan) in replaced.reversed() { plans[id] = plan }
        for key in newKeys { newIDs[key] = nil }
        order.removeSubrange(beginning.plans...)
        _ = begin()
    }

    /// Plans a wish for the document of that key.
    package mutating func plan(_ wish: MarkWish, for key: String) -> PlannedMarks {
        guard let document = documents[key: key] else { return .noDocument }
        let book = documents.marks
        let id: Int64
        if let known = book.id(of: key) ?? newIDs[key] {
            id = known
        } else {
            if wish.applied(to: []).isEmpty { return .planned([]) }
            guard book.count + newIDs.count < DocumentMarks.most else { return .noRoom }
            id = book.reserveID()
            newIDs[key] = id
            newKeys.append(key)
        }
        let marks = wish.applied(to: plans[id]?.stored.marks ?? book.marks(of: key))
        put(
            MarkPlan(
                key: key, stored: StoredMark(id: id, marks: marks, file: MarkedFile(document))))
        return .planned(marks)
    }

    /// Plans that nothing is dropped any more, be it there or not.
    package mutating func planRestoringAll() {
        let book = documents.marks
        for id in Set(book.droppedIDs).union(order).sorted() {
            var plan = plans[id] ?? MarkPlan(key: book.key(of: id), stored: book.stored(id))
            guard plan.stored.marks.contains(.dropped) else { continue }
            plan.stored.marks.remove(.dropped)
            put(plan)
        }
    }

    private mutating func put(_ plan: MarkPlan) {
        let id = plan.stored.id
        let before = plans.updateValue(plan, forKey: id)
        if before == nil { order.append(id) }
        replaced.append((id, before))
    }

    /// The plans that change something, in the order of their first wishes.
    package var changes: [MarkPlan] {
        order.compactMap { id in
            guard let plan = plans[id] else { return nil }
            let before = documents.marks.marks(ofID: id)
            return before == plan.stored.marks ? nil : plan
        }
    }
}

extension DocumentMarks {
    fileprivate func marks(ofID id: Int64) -> Marks { entries[id]?.marks ?? [] }

    fileprivate func key(of id: Int64) -> String? {
        switch entries[id]?.standing {
        case .present(let key, _): key
        case .waiting(let key, _): key
        case nil: nil
        }
    }
}
