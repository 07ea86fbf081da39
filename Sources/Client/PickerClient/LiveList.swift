internal import JSONText
public import Observables
internal import WireProtocol

// A list that the daemon keeps current, as this program has it.
//
// The items are what the daemon's messages make of them, in order: a reset (in chunks, gathered
// and taken over with the last one) replaces them, a delta changes them from one revision to the
// next. Nothing is taken on trust: a delta for another revision or generation than the one at
// hand, an index outside, a window longer than asked for, each mean that the two sides disagree.
// Then the list is opened anew, and `onReopen` says why; the items stay as they were until the
// new ones are there. It outlives connections: attached to a new one, it opens itself again and says
// what it has. A daemon that remembers sends what has changed since; another sends all, and
// observers are told the difference between what they had and what is there now.

/// A list of items, kept current by the daemon.
public final class LiveList {
    enum Phase {
        /// Not attached, closed, or refused.
        case idle
        /// Open, or about to be, under the id of its request; `chunks` is a reset half arrived.
        case open(sub: RequestID, hasItems: Bool, chunks: [ListItem]?)
    }

    /// More rows than this are not taken from a daemon, whatever it says; such a list is given up.
    public static let mostItems = 10_000_000

    /// What the list shows, or will with the next message.
    public private(set) var query: ListQuery
    /// The items of the window.
    public internal(set) var items: [ListItem] = []
    /// How many items the whole list has.
    public internal(set) var total = 0
    /// The position of the first item in the whole list, as it was asked for: past the end of a list
    /// that is shorter.
    public internal(set) var start = 0
    /// The revision of the documents that the items show.
    public internal(set) var rev = 0
    /// Names the revision for good.
    public internal(set) var token = ""
    /// Whether the items are all there are: false while more are to come, before the first, and
    /// while there is no connection.
    public internal(set) var isComplete = false
    /// How often the list was opened anew because the two sides disagreed.
    public private(set) var reopenCount = 0

    /// Is told of the rows of a reset as they come, before the rest of them: whether they begin one, and
    /// whether it is of a list that is complete.
    package var onChunk: (([ListItem], _ isFirst: Bool, _ isOfAll: Bool) -> Void)?

    /// What is known of items that are all of one revision.
    private struct Sound {
        var fields: [String]?
    }

    /// The items for observers: each message of the daemon is one transaction, and so is what has
    /// changed while there was no connection. Kept up from the first time that one of the three
    /// observables is asked for, outside of sinks.
    public var observableItems: ObservableArray<ListItem> { observed.items.observableArray }
    /// ``total`` for observers, in the same transactions.
    public var observableTotal: Observable<Int> { observed.total.observable }
    /// ``isComplete`` for observers, in the same transactions.
    public var observableIsComplete: Observable<Bool> { observed.isComplete.observable }

    /// Is told after each change of the items or their total, and after observers.
    public var onChange: ((ListChange) -> Void)?
    /// Is told why the list is opened anew.
    public var onReopen: ((String) -> Void)?
    /// Is told when the daemon refuses the list, or the connection ends. The list stands still
    /// until it is attached again.
    public var onError: ((ClientError) -> Void)?

    /// Are told each time that the list is opened, on which connection and under which id: what goes by
    /// the list is opened anew with it.
    var onOpening: [ObjectIdentifier: (PickerConnection, RequestID) -> Void] = [:]

    private weak var connection: PickerConnection?
    var mirror: ListMirror?
    var phase = Phase.idle
    /// Of the items at hand, and of the latest request.
    var gen = 0
    private(set) var requestedGen = 0
    /// What the items are known to be: all of one revision, with these fields. Nil before the first, and
    /// after the two sides disagreed.
    private var sound: Sound?
    /// How many items each generation may have that was asked for and not replaced yet.
    private var counts: [Int: Int] = [:]
    /// A list that disagrees again and again, without a sound message in between, is given up.
    private var disagreements = 0
    private static let mostDisagreements = 8
    /// A list with more items than this is sent anew on a new connection.
    private static let mostKeys = 10_000

    /// A list that is opened when it is attached to a connection.
    public init(_ query: ListQuery) {
        self.query = query
    }

    private var observed: ListMirror {
        if let mirror { return mirror }
        let made = ListMirror(items, total: total, isComplete: isComplete)
        mirror = made
        return made
    }

    /// Opens the list on `connection`, and leaves the one before. The items stay until the new
    /// ones have come. The list does not hold the connection: keep it for as long.
    public func attach(to connection: PickerConnection) {
        close()
        self.connection = connection
        disagreements = 0
        open(on: connection)
    }

    /// Closes the list; nothing more of it comes. The items stay as they are.
    public func close() {
        guard case .open(let sub, _, _) = phase else { return }
        phase = .idle
        guard let connection else { return }
        connection.setSink(nil, for: sub)
        if connection.isOpen { connection.request("items.close", RawJSON(["sub": sub.value])) }
    }

    /// Changes what the list shows. The items stay until those of the new query have come.
    ///
    /// - Returns: the daemon's word on it. If it refuses, the list goes on as it was.
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
        counts[requestedGen] = query.count ?? Self.mostItems
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

    /// The connection and the id that it is open under.
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
        counts = [gen: query.count ?? Self.mostItems]
        var parameters = query.parameters
        parameters["gen"] = JSONValue(gen)
        let isSound = sound.map { $0.fields == query.fields } ?? false
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

    /// What the two sides disagree on.
    struct Disagreement: Error {
        let what: String
    }

    /// Messages are of the generation at hand, or of a later one that was asked for.
    func checkGeneration(_ told: Int) throws(Disagreement) {
        guard (gen...max(gen, requestedGen)).contains(told) else {
            throw Disagreement(
                what: "a message of generation \(told), where \(requestedGen) was asked for")
        }
    }

    /// The window lies in the list, or past its end with nothing in it, and is no longer than the
    /// generation asked for.
    func checkWindow(
        _ count: Int, start: Int, total: Int, gen: Int
    ) throws(Disagreement) {
        guard count <= total, count == 0 || start <= total - count else {
            throw Disagreement(what: "\(count) items from \(start) on, of \(total)")
        }
        // The number of a refused query may have been taken up by none; the largest is asked for.
        let most = counts[gen] ?? counts.values.max() ?? 0
        guard count <= most else {
            throw Disagreement(what: "\(count) items, where \(most) were asked for")
        }
    }

    /// Notes that the items are of `gen` now.
    func reach(gen: Int) {
        self.gen = gen
        sound = Sound(fields: query.fields)
        if counts.count > 1 { counts = counts.filter { $0.key >= gen } }
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
    /// A reply that needs no request.
    static func settled<Value>(
        _ outcome: Result<Value, ClientError>, on loop: PollLoop
    ) -> Reply<Value> {
        let reply = Reply<Value>(on: loop)
        reply.slot.resolve(outcome)
        return reply
    }
}
