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
// new ones are there. It outlives connections: attached to a new one, it opens itself again.

/// A list of items, kept current by the daemon.
public final class LiveList {
    private enum Phase {
        /// Not attached, closed, or refused.
        case idle
        /// Open, or about to be, under the id of its request; `chunks` is a reset half arrived.
        case open(sub: RequestID, hasItems: Bool, chunks: [ListItem]?)
    }

    /// What the list shows, or will with the next message.
    public private(set) var query: ListQuery
    /// The items of the window.
    public private(set) var items: [ListItem] = []
    /// The same items for observers: each message of the daemon is one transaction. Kept up from
    /// the first time that it is asked for, outside of sinks.
    public var observableItems: ObservableArray<ListItem> {
        let mirror = mirror ?? ArrayVariable(items)
        self.mirror = mirror
        return mirror.observableArray
    }
    /// How many items the whole list has.
    public private(set) var total = 0
    /// The position of the first item in the whole list.
    public private(set) var start = 0
    /// The revision of the documents that the items show.
    public private(set) var rev = 0
    /// Names the revision for good.
    public private(set) var token = ""
    /// Whether the items are all there are: false while more are to come, and before the first.
    public private(set) var isComplete = false
    /// How often the list was opened anew because the two sides disagreed.
    public private(set) var reopenCount = 0

    /// Is told after each change of the items or their total.
    public var onChange: ((ListChange) -> Void)?
    /// Is told why the list is opened anew.
    public var onReopen: ((String) -> Void)?
    /// Is told when the daemon refuses the list, or the connection ends. The list stands still
    /// until it is attached again.
    public var onError: ((ClientError) -> Void)?

    private weak var connection: PickerConnection?
    private var mirror: ArrayVariable<ListItem>?
    private var phase = Phase.idle
    /// Of the items at hand, and of the latest request.
    private var gen = 0
    private var requestedGen = 0
    /// A list that disagrees again and again, without a sound message in between, is given up.
    private var disagreements = 0
    private static let mostDisagreements = 8

    /// A list that is opened when it is attached to a connection.
    public init(_ query: ListQuery) {
        self.query = query
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

    private func reopen(on connection: PickerConnection) {
        close()
        open(on: connection)
    }

    private func open(on connection: PickerConnection) {
        let sub = connection.nextID()
        phase = .open(sub: sub, hasItems: false, chunks: nil)
        isComplete = false
        requestedGen += 1
        gen = requestedGen
        var parameters = query.parameters
        parameters["gen"] = JSONValue(gen)
        connection.setSink(self, for: sub)
        connection.send("items.open", RawJSON(parameters), as: sub)
            .then { [weak self] outcome in
                guard case .failure(let error) = outcome, let self,
                    case .open(sub, _, _) = phase
                else { return }
                connection.setSink(nil, for: sub)
                phase = .idle
                onError?(error)
            }
    }

    // MARK: Messages

    /// What the two sides disagree on.
    private struct Disagreement: Error {
        let what: String
    }

    func receive(_ notification: RequestEnvelope) {
        guard case .open(let sub, let hasItems, let chunks) = phase,
            let params = notification.params
        else { return }
        do throws(Disagreement) {
            switch notification.method {
            case "\(ItemsReset.method)":
                try take(try Self.decode(ItemsReset.self, params), sub, hasItems, chunks)
            case "\(ItemsDelta.method)":
                guard hasItems, chunks == nil else {
                    throw Disagreement(what: "a delta came before the items it changes")
                }
                try take(try Self.decode(ItemsDelta.self, params))
            default: return
            }
            disagreements = 0
        } catch {
            disagree(error.what)
        }
    }

    private static func decode<Message: WireReadable>(
        _ type: Message.Type, _ params: JSONView
    ) throws(Disagreement) -> Message {
        do {
            return try Message(decoding: params)
        } catch {
            throw Disagreement(what: "\(error)")
        }
    }

    private func take(
        _ reset: ItemsReset, _ sub: RequestID, _ hasItems: Bool, _ chunks: [ListItem]?
    ) throws(Disagreement) {
        try checkGeneration(reset.gen)
        // A first chunk while others were under way: the daemon has begun again.
        var gathered = reset.chunk == 0 ? [] : chunks ?? []
        if reset.chunk > 0, chunks == nil {
            throw Disagreement(what: "chunk \(reset.chunk) came without those before it")
        }
        gathered.append(contentsOf: reset.items.lazy.map { ListItem($0) })
        try checkWindow(gathered.count, start: reset.start, total: reset.total)
        guard reset.last else {
            phase = .open(sub: sub, hasItems: hasItems, chunks: gathered)
            return
        }
        phase = .open(sub: sub, hasItems: true, chunks: nil)
        let before = items
        let isNewHistory = Self.epoch(of: reset.token) != Self.epoch(of: token)
        items = gathered
        mirror?.value = gathered
        gen = reset.gen
        rev = reset.rev
        token = reset.token
        total = reset.total
        start = reset.start
        isComplete = reset.complete
        onChange?(.reset(before: before, reason: reset.reason, isNewHistory: isNewHistory))
    }

    private static func epoch(of token: String) -> Substring { token.prefix { $0 != ":" } }

    private func take(_ delta: ItemsDelta) throws(Disagreement) {
        try checkGeneration(delta.gen)
        guard delta.from == rev else {
            throw Disagreement(what: "a delta from revision \(delta.from), the items are at \(rev)")
        }
        guard delta.to >= delta.from else {
            throw Disagreement(what: "a delta from revision \(delta.from) back to \(delta.to)")
        }
        let before = items
        do {
            var after = try delta.arrange(before) { ListItem($0.item) }
            try checkWindow(after.count, start: delta.start, total: delta.total)
            let edits = try Self.edits(delta, before, &after)
            items = after
            mirror?.apply(edits)
            gen = delta.gen
            rev = delta.to
            token = delta.token
            total = delta.total
            start = delta.start
            isComplete = delta.complete
            onChange?(.edits(edits))
        } catch let error as MessageError {
            throw Disagreement(what: "\(error)")
        } catch let error as Disagreement {
            throw error
        } catch {
            throw Disagreement(what: "\(error)")
        }
    }

    /// Patches `after`, and tells in words of rows what the delta did.
    private static func edits(
        _ delta: ItemsDelta, _ before: [ListItem], _ after: inout [ListItem]
    ) throws(MessageError) -> [ListEdit] {
        var edits: [ListEdit] = []
        for index in delta.deleted { edits.append(.deleted(before[index], at: index)) }
        for update in delta.updated {
            guard after.indices.contains(update.index) else {
                throw MessageError(
                    at: "updated", "index \(update.index) is outside the \(after.count) items")
            }
            let old = after[update.index]
            var record = old.record
            try record.apply(update.changes)
            after[update.index] = ListItem(record)
            edits.append(.updated(after[update.index], at: update.index, before: old))
        }
        for move in delta.moved {
            edits.append(.moved(after[move.to], from: move.from, to: move.to))
        }
        for insertion in delta.inserted {
            edits.append(.inserted(after[insertion.index], at: insertion.index))
        }
        return edits
    }

    /// Messages are of the generation at hand, or of a later one that was asked for.
    private func checkGeneration(_ told: Int) throws(Disagreement) {
        guard (gen...max(gen, requestedGen)).contains(told) else {
            throw Disagreement(
                what: "a message of generation \(told), where \(requestedGen) was asked for")
        }
    }

    private func checkWindow(_ count: Int, start: Int, total: Int) throws(Disagreement) {
        guard count <= total, start <= total - count else {
            throw Disagreement(what: "\(count) items from \(start) on, of \(total)")
        }
    }

    private func disagree(_ what: String) {
        guard let connection else { return }
        disagreements += 1
        reopenCount += 1
        guard disagreements <= Self.mostDisagreements else {
            close()
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
    func lose(_ error: ClientError) {
        phase = .idle
        isComplete = false
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
