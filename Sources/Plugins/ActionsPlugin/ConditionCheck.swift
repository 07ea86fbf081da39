internal import EventLoops
internal import PickerModel
internal import WireProtocol

/// Finds out for which documents the conditions of some actions hold, when their files have been read for the attributes
/// that the conditions name; two seconds are waited for that at most.
///
/// Only documents are read of which the rest of a condition keeps those for which it is asked. Of an attribute that is
/// not known no condition holds.
final class ConditionCheck {
    /// Whoever waits for a menu waits no longer.
    static let limit = Duration.seconds(2)

    /// What is asked of a condition.
    enum Question {
        /// Whether it holds for all the documents.
        case all
        /// For which of them it holds.
        case each
    }

    private let filters: [DocumentFilter?]
    private let keys: [String]
    private let question: Question
    private let documents: DocumentStore
    private let loop: any EventLoop
    private let found: (_ filter: Int, _ key: Int, _ isKept: Bool) -> Void
    private let done: (ProtocolError?) -> Void
    private var check: FilterCheck?
    /// Keeps what was found out until the conditions are looked at.
    private var use: AttributeUse?
    private var timer: (any TimerSource)?

    /// A nil filter keeps all documents; none keeps a document that is not there. `found` is called with each finding, but
    /// for `Question.all` with no other after one that does not hold; then `done` is, with an error if there is no memory.
    init(
        _ filters: [DocumentFilter?], for keys: [String], _ question: Question,
        of documents: DocumentStore, on loop: any EventLoop,
        found: @escaping (_ filter: Int, _ key: Int, _ isKept: Bool) -> Void,
        done: @escaping (ProtocolError?) -> Void
    ) {
        self.filters = filters
        self.keys = keys
        self.question = question
        self.documents = documents
        self.loop = loop
        self.found = found
        self.done = done
    }

    /// Begins, and calls `done` at the end, now or later. It keeps itself until then.
    func run() {
        let named = filters.map { $0?.expression.attributes ?? [] }
        if named.allSatisfy(\.isEmpty) { return decide() }
        // What the conditions leave over without their attributes.
        let rests = filters.map { $0.map { DocumentFilter($0.expression.withoutAttributes) } }
        var kept = filters.map { _ in [Int]() }
        start(rests) { [question] (filter, key, isKept) in
            if isKept { kept[filter].append(key) }
            return isKept || question == .each
        } done: { [self] in
            var wanted: Set<Attribute> = []
            var places: Set<Int> = []
            for (attributes, kept) in zip(named, kept) where !attributes.isEmpty && !kept.isEmpty {
                if question == .all, kept.count < keys.count { continue }
                wanted.formUnion(attributes)
                places.formUnion(kept)
            }
            read(wanted, of: places.sorted().map { keys[$0] })
        }
    }

    func cancel() {
        check?.cancel()
        release()
    }

    /// Ends what keeps it.
    private func release() {
        stopWaiting()
        check = nil
        use = nil
    }

    private func end(_ error: ProtocolError?) {
        release()
        done(error)
    }

    private func start(
        _ filters: [DocumentFilter?],
        found: @escaping (_ filter: Int, _ key: Int, _ isKept: Bool) -> Bool,
        done: @escaping () -> Void
    ) {
        let check = FilterCheck(filters, for: keys, of: documents, found: found, done: done)
        self.check = check
        check.run(on: loop)
    }

    // MARK: What is to be known

    private func read(_ attributes: Set<Attribute>, of keys: [String]) {
        if attributes.isEmpty { return decide() }
        do throws(DocumentTableError) {
            use = try documents.attributes.use(
                AttributeWish(shown: attributes, needed: [], query: DocumentQuery(), range: .all))
        } catch {
            return end(
                .overloaded(
                    retryAfterMs: 1000, "there is no memory for the attributes of the documents"))
        }
        use?.awaited = ShownRows(
            keys.compactMap { documents.row(key: $0) }.map { PickerItem($0) }, of: documents.table)
        use?.whenPendingChanges = { [weak self] in self?.goOnIfRead() }
        timer = try? loop.schedule(after: Self.limit) { [self] in goOn() }
        if timer == nil { return goOn() }
        goOnIfRead()
    }

    private func goOnIfRead() {
        guard use?.isSettled == true else { return }
        // Not while the documents change; until then it keeps itself by the timer.
        use?.whenPendingChanges = nil
        loop.enqueue { [weak self] in
            if let self, use != nil, timer != nil { goOn() }
        }
    }

    private func goOn() {
        stopWaiting()
        decide()
    }

    private func stopWaiting() {
        timer = nil
        use?.whenPendingChanges = nil
    }

    private func decide() {
        start(filters) { [self] (filter, key, isKept) in
            found(filter, key, isKept)
            return isKept || question == .each
        } done: { [self] in
            end(nil)
        }
    }
}
