package import PickerClient

// What is asked of the daemon for a desktop.
//
// There is one list, and each search is a change of it: the daemon looks for a longer word in what it has found for the
// shorter one. It stays open behind an answer, until `rest`. A connection is made when something is asked, and when one
// has ended, with the next question: without a daemon nothing wakes this program up, and nobody waits for it.

/// Searches and actions over the daemon's socket. All is answered: without a daemon, at once and with nothing.
package final class SearchDesk {
    /// The time after which a search is answered with what has been found.
    package static let limit = Duration.seconds(1)
    /// The time after which rows that are the best so far are an answer, if they are as many as are asked for: somebody
    /// types, and the next letter asks again.
    private static let patience = Duration.milliseconds(6)
    /// The most documents that are told of at once.
    package static let mostDocuments = 64
    private static let actionLimit = Duration.seconds(60)

    private let socket: String
    private let loop: PollLoop
    private var connection: PickerConnection?
    private var list: LiveList?
    private var queue = SearchQueue()
    private var timers: [Int: PollTimer] = [:]
    /// Of the running search.
    private var patienceTimer: PollTimer?
    private var isPatient = true
    /// Other requests that are not answered.
    private var otherRequests = 0

    /// Nothing is connected yet.
    package init(socket: String, on loop: PollLoop) {
        self.socket = socket
        self.loop = loop
    }

    /// Whether something is not answered yet.
    package var isBusy: Bool { !queue.isEmpty || otherRequests > 0 }

    /// Whether a list is open.
    package var hasList: Bool { list != nil }

    // MARK: Searches

    /// Finds the first rows of a list. `answer` is called once, perhaps from within this function; with nothing if the
    /// same caller searches again before it was.
    package func search(
        _ query: ListQuery, from caller: String, _ answer: @escaping ([ListItem]) -> Void
    ) {
        let (number, dropped) = queue.add(query, from: caller, answer)
        timers[number] = loop.schedule(after: Self.limit) { [weak self] in self?.expire(number) }
        for search in dropped { answerDropped(search) }
        startNext()
    }

    /// Ends the list, of which the daemon tells changes otherwise.
    package func rest() {
        guard queue.isEmpty else { return }
        list?.close()
        list = nil
    }

    private func answerDropped(_ search: SearchQueue.Search) {
        timers.removeValue(forKey: search.number)?.cancel()
        search.answer([])
    }

    private func startNext() {
        while let search = queue.start() {
            ask(search)
            if queue.running != nil { return }
        }
    }

    private func ask(_ search: SearchQueue.Search) {
        isPatient = true
        patienceTimer?.cancel()
        patienceTimer = loop.schedule(after: Self.patience) { [weak self] in
            self?.isPatient = false
            self?.look()
        }
        guard let connection = connected() else { return settle(search.number, []) }
        guard let list else { return open(search, on: connection) }
        if list.query == search.query { return look() }
        list.update(to: search.query).then { [weak self] outcome in
            if case .failure(let error) = outcome, error.code == .refused {
                self?.finish(search.number, [])
            }
        }
    }

    private func open(_ search: SearchQueue.Search, on connection: PickerConnection) {
        let list = LiveList(search.query)
        self.list = list
        list.onChange = { [weak self] _ in self?.look() }
        list.onError = { [weak self, weak list] error in
            if let self, self.list === list { fail(error) }
        }
        list.attach(to: connection)
    }

    /// Answers the running search, if the rows are those of it.
    private func look() {
        guard let list, let search = queue.running, list.shownQuery == search.query,
            list.isComplete
                || !isPatient && list.items.count >= search.query.count ?? DesktopQuery.mostRows
        else { return }
        finish(search.number, list.items)
    }

    /// The list has ended: by a refusal, or with its connection.
    private func fail(_ error: ClientError) {
        list = nil
        if error.code != .refused { connection = nil }
        guard let search = queue.running else { return }
        // A daemon that was restarted is there again, or its socket is.
        if error.code == .disconnected, queue.tryAgain() {
            ask(search)
            if queue.running == nil { startNext() }
        } else {
            finish(search.number, [])
        }
    }

    private func expire(_ number: Int) {
        let isShown = queue.running?.number == number && list?.shownQuery == queue.running?.query
        finish(number, isShown ? list?.items ?? [] : [])
    }

    private func finish(_ number: Int, _ items: [ListItem]) {
        settle(number, items)
        startNext()
    }

    private func settle(_ number: Int, _ items: [ListItem]) {
        guard let search = queue.remove(number) else { return }
        timers.removeValue(forKey: number)?.cancel()
        if queue.running == nil { patienceTimer?.cancel() }
        search.answer(items)
    }

    // MARK: Documents and actions

    /// Asks for documents by their keys, of which the first `mostDocuments` count. `done` is called once, perhaps from
    /// within this function, with those that are known.
    package func documents(
        _ keys: [String], _ done: @escaping ([String: RemoteDocument]) -> Void
    ) {
        let keys = Set(keys.prefix(Self.mostDocuments))
        guard !keys.isEmpty, let connection = connected() else { return done([:]) }
        otherRequests += 1
        var found: [String: RemoteDocument] = [:]
        var left = keys.count
        // One for all of them: a loop looks at each of its timers.
        var timer: PollTimer?
        let finish = { [weak self] in
            left = 0
            timer?.cancel()
            self?.otherRequests -= 1
            done(found)
        }
        timer = loop.schedule(after: Self.limit, finish)
        for key in keys {
            connection.send(.document(key: key)).then { outcome in
                if left == 0 { return }
                left -= 1
                if case .success(let document) = outcome { found[key] = document }
                if left == 0 { finish() }
            }
        }
    }

    /// Does something to a document. `done` is called once, perhaps from within this function, with what has gone
    /// wrong.
    package func perform(
        _ action: String, on key: String, _ done: @escaping (_ fault: String?) -> Void
    ) {
        guard let connection = connected() else { return done("no daemon listens at \(socket)") }
        otherRequests += 1
        connection.send(.run(action, keys: [key])).expire(after: Self.actionLimit)
            .then { [weak self] outcome in
                self?.otherRequests -= 1
                switch outcome {
                case .success(let results): done(results.first?.error)
                case .failure(let error): done(error.description)
                }
            }
    }

    private func connected() -> PickerConnection? {
        if let connection, connection.isOpen { return connection }
        list = nil
        connection = try? PickerConnection(to: socket, on: loop)
        return connection
    }
}
