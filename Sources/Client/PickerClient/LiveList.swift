internal import JSONText
public import Observables
internal import WireProtocol

// The client's copy of a list that the daemon keeps current.
//
// The items result from the daemon's messages in order: a reset replaces them (its chunks are collected and
// applied with the last one), and a delta changes them from one revision to the next. The messages are
// validated: a delta for another revision or generation than the current one, an index out of range, or a
// window longer than requested is an inconsistency. The list is then opened anew, and `onReopen` reports
// the reason; the items stay until the new ones arrive. The list survives connections: attached to a new
// one, it reopens and states the rows it has. A daemon that remembers them sends the changes since then;
// otherwise it sends all rows, and observers see only the difference.

/// A live list of items.
public final class LiveList {
    enum Phase {
        /// Not attached, closed, or refused.
        case idle
        /// Open or opening, under the id of its request; `chunks` is an incomplete reset.
        case open(sub: RequestID, hasItems: Bool, chunks: [ListItem]?)
    }

    /// The most rows that are accepted from a daemon; a larger list is given up.
    public static let mostItems = 10_000_000

    /// The query that the list shows, or will show after the next message.
    public private(set) var query: ListQuery
    /// The query that the items answer: an earlier one until the items of ``query`` have arrived. Nil before the first
    /// items.
    public private(set) var shownQuery: ListQuery?
    /// The items of the window.
    public internal(set) var items: [ListItem] = []
    /// The number of items in the whole list; perhaps not the right one while the items are not complete.
    public internal(set) var total = 0
    /// The position of the first item in the whole list: the requested one, which may be beyond the end of a shorter
    /// list, or that of a window that follows an item (``ListQuery/anchor``), which changes with the list.
    public internal(set) var start = 0
    /// The revision of the documents that the items show.
    public internal(set) var rev = 0
    /// Identifies the revision permanently.
    package internal(set) var token = ""
    /// Whether the items are complete: false while more are to come, before the first, and without a
    /// connection.
    public internal(set) var isComplete = false
    /// The number of times that the list was opened anew after an inconsistency.
    package private(set) var reopenCount = 0

    /// What items that are all of one revision have: their fields, and what is marked in their names.
    private struct Sound {
        let fields: [String]?
        let marking: ListQuery.Marking?
    }

    /// What was requested for a generation.
    private struct Request {
        let query: ListQuery

        init(_ query: ListQuery) { self.query = query }

        var count: Int { query.count ?? LiveList.mostItems }
    }

    /// The items for observers: each message of the daemon is one transaction, and so are the changes of a
    /// reconnection. Updated from the first access to one of the three observables on, which must be
    /// outside of sinks.
    public var observableItems: ObservableArray<ListItem> { observed.items.observableArray }
    /// ``total`` for observers, in the same transactions.
    public var observableTotal: Observable<Int> { observed.total.observable }
    /// ``isComplete`` for observers, in the same transactions.
    public var observableIsComplete: Observable<Bool> { observed.isComplete.observable }

    /// Called after each change of the items or their total, after observers.
    public var onChange: ((ListChange) -> Void)?
    /// Called with the reason when the list is opened anew.
    package var onReopen: ((String) -> Void)?
    /// Called when the daemon refuses the list, or the connection ends. The list then no longer changes
    /// until it is attached again.
    public var onError: ((ClientError) -> Void)?

    /// Called each time that the list is opened, with the connection and the id; dependent layouts are then
    /// opened anew.
    var onOpening: [ObjectIdentifier: (PickerConnection, RequestID) -> Void] = [:]

    private weak var connection: PickerConnection?
    var mirror: ListMirror?
    var phase = Phase.idle
    /// The generation of the current items, and of the latest request.
    var gen = 0
    private(set) var requestedGen = 0
    /// What the items have. Nil before the first items, and after an inconsistency.
    private var sound: Sound?
    /// Each generation that was requested and not replaced yet.
    private var requests: [Int: Request] = [:]
    /// After this many inconsistencies without a valid message in between, the list is given up.
    private var disagreements = 0
    private static let mostDisagreements = 8
    /// A list with more items than this is not resumed on a new connection.
    private static let mostKeys = 10_000

    /// A list that is opened when it is attached to a connection.
    package init(_ query: ListQuery) {
        self.query = query
    }

    private var observed: ListMirror {
        if let mirror { return mirror }
        let made = ListMirror(items, total: total, isComplete: isComplete)
        mirror = made
        return made
    }

    /// Opens the list on `connection`, and leaves the previous one. The items stay until the new ones
    /// arrive. The list does not retain the connection.
    package func attach(to connection: PickerConnection) {
        close()
        self.connection = connection
        disagreements = 0
        open(on: connection)
    }

    /// Closes the list; no more changes come. The items stay.
    package func close() {
        guard case .open(let sub, _, _) = phase else { return }
        phase = .idle
        guard let connection else { return }
        connection.setSink(nil, for: sub)
        if connection.isOpen { connection.send(.nothing("items.close", ["sub": sub.value])) }
    }

    /// Changes the query. The items stay until those of the new query arrive.
    ///
    /// - Returns: the daemon's reply. If it refuses, the list stays unchanged.
    @discardableResult
    public func update(to query: ListQuery) -> Reply<Void> {
        guard case .open(let sub, _, _) = phase, let connection else {
            self.query = query
            return PickerConnection.settled(.success(()), on: connection?.loop ?? PollLoop())
        }
        let before = self.query
        self.query = query
        guard var parameters = query.parameters(from: before) else {
            reopen(on: connection)
            return PickerConnection.settled(.success(()), on: connection.loop)
        }
        requestedGen += 1
        requests[requestedGen] = Request(query)
        parameters["sub"] = sub.value
        parameters["gen"] = JSONValue(requestedGen)
        let asked = requestedGen
        let reply = connection.call("items.update", RawJSON(parameters)) { _ in .success(()) }
        return reply.then { [weak self] outcome in
            guard let self, case .failure(let error) = outcome, error.code == .refused else {
                return
            }
            if requestedGen == asked { self.query = before }
        }
    }

    /// The connection and the id of the open list.
    var opened: (connection: PickerConnection, sub: RequestID)? {
        guard case .open(let sub, _, _) = phase, let connection else { return nil }
        return (connection, sub)
    }

    private func reopen(on connection: PickerConnection) {
        close()
        open(on: connection)
    }

    private func open(on connection: PickerConnection) {
        let sub = connection.nextID()
        phase = .open(sub: sub, hasItems: false, chunks: nil)
        setIncomplete()
        requestedGen += 1
        gen = requestedGen
        requests = [gen: Request(query)]
        var parameters = query.parameters
        parameters["gen"] = JSONValue(gen)
        // The daemon says nothing of marks that are no longer wanted.
        let isSound =
            sound.map { $0.fields == query.fields && $0.marking == query.marking } ?? false
        let tellsItems = isSound && items.count <= Self.mostKeys
        if tellsItems {
            parameters["since"] = .string(token)
            parameters["have"] = .array(items.map { .string($0.key) })
        }
        connection.setSink(self, for: sub)
        connection.send("items.open", RawJSON(parameters), as: sub)
            .then { [weak self] outcome in
                guard let self, case .open(sub, let hasItems, let chunks) = phase else { return }
                switch outcome {
                case .success(let answer):
                    let goesOn = tellsItems && answer["resumed"]?.text == "true"
                    phase = .open(sub: sub, hasItems: hasItems || goesOn, chunks: chunks)
                case .failure(let error):
                    connection.setSink(nil, for: sub)
                    phase = .idle
                    onError?(error)
                }
            }
        for tell in onOpening.values { tell(connection, sub) }
    }

    private func setIncomplete() {
        isComplete = false
        mirror?.isComplete.value = false
    }

    // MARK: Trust

    /// Checks that a message is of the current generation, or of a later requested one.
    func checkGeneration(_ told: Int) throws(MessageError) {
        guard (gen...max(gen, requestedGen)).contains(told) else {
            throw MessageError(
                at: "", "a message of generation \(told), where \(requestedGen) was asked for")
        }
    }

    /// Checks that the window is in the list, or empty beyond its end, and no longer than the generation
    /// requested.
    func checkWindow(
        _ count: Int, start: Int, total: Int, gen: Int
    ) throws(MessageError) {
        guard count <= total, count == 0 || start <= total - count else {
            throw MessageError(at: "", "\(count) items from \(start) on, of \(total)")
        }
        // The generation of a refused query may be unused; the largest limit counts.
        let most = requests[gen]?.count ?? requests.values.map(\.count).max() ?? 0
        guard count <= most else {
            throw MessageError(at: "", "\(count) items, where \(most) were asked for")
        }
    }

    /// Records that the items are of generation `gen`.
    func reach(gen: Int) {
        self.gen = gen
        shownQuery = requests[gen]?.query ?? shownQuery
        sound = Sound(fields: query.fields, marking: requests[gen]?.query.marking)
        if requests.count > 1 { requests = requests.filter { $0.key >= gen } }
        disagreements = 0
    }

    func disagree(_ what: String) {
        guard let connection else { return }
        sound = nil
        disagreements += 1
        reopenCount += 1
        guard disagreements <= Self.mostDisagreements else {
            close()
            setIncomplete()
            onError?(
                ClientError(
                    .badMessage, "the list was given up after \(disagreements) tries: \(what)"))
            return
        }
        onReopen?(what)
        reopen(on: connection)
    }
}

extension LiveList: SessionMember, NotificationSink {
    func end() { close() }

    func lose(_ error: ClientError) {
        phase = .idle
        setIncomplete()
        onError?(error)
    }
}

extension PickerConnection {
    /// A reply without a request.
    static func settled<Value>(
        _ outcome: Result<Value, ClientError>, on loop: PollLoop
    ) -> Reply<Value> {
        let reply = Reply<Value>(on: loop)
        reply.slot.resolve(outcome)
        return reply
    }
}
