import JSONText
package import PickerClient
import WireProtocol

// The marked documents of a picker, wherever they are in the list or out of it: they are asked for by their keys, and
// again when an event says that one has changed. There is a subscription only while there are marks.

/// Follows documents by their keys.
package final class PickMarks {
    /// The most documents of a request; their answer is far below the limit of a line.
    private static let mostAtOnce = 256
    private static let topics = ["documents.removed", "documents.moved", "documents.changed"]

    /// Called with those that are there, in the order of their keys.
    package var onDocuments: ([ListItem]) -> Void = { _ in }

    private let session: ReconnectingSession
    private var keys: [String] = []
    private var known: Set<String> = []
    private var documents: [String: ListItem] = [:]
    /// Those to ask for.
    private var stale: Set<String> = []
    private var feed: EventFeed?
    private var isAsking = false
    private var isScheduled = false

    package init(of session: ReconnectingSession) { self.session = session }

    /// Follows these documents from now on.
    package func follow(_ keys: [String]) {
        let before = known
        self.keys = keys
        let now = Set(keys)
        known = now
        stale = stale.intersection(now).union(now.subtracting(before))
        documents = documents.filter { now.contains($0.key) }
        if keys.isEmpty {
            if let feed { session.cancel(feed) }
            feed = nil
        } else if feed == nil {
            feed = session.subscribe(topics: Self.topics) { [weak self] in self?.take($0) }
        }
        askSoon()
    }

    /// Asks for all again: they may have changed without events.
    package func refresh() {
        if keys.isEmpty { return }
        stale = Set(keys)
        askSoon()
    }

    private func take(_ message: FeedMessage) {
        switch message {
        case .event(let event):
            guard let key = event.data?["key"]?.string, known.contains(key) else { return }
            stale.insert(key)
            askSoon()
        case .lost: refresh()
        case .subscribed, .ended: break
        }
    }

    private func askSoon() {
        if isScheduled { return }
        isScheduled = true
        session.loop.atEndOfTurn { [weak self] in
            self?.isScheduled = false
            self?.ask()
        }
    }

    private func ask() {
        if isAsking { return }
        if stale.isEmpty { return onDocuments(keys.compactMap { documents[$0] }) }
        guard let connection = session.connection else { return }
        isAsking = true
        let part = Array(stale.prefix(Self.mostAtOnce))
        stale.subtract(part)
        connection.send(.documents(keys: part)).then { [weak self] outcome in
            guard let self else { return }
            isAsking = false
            switch outcome {
            case .success(let found):
                for (key, document) in zip(part, found) {
                    documents[key] = document.map { ListItem($0) }
                }
                documents = documents.filter { known.contains($0.key) }
                ask()
            case .failure(let error):
                // After a lost connection all are asked for again.
                if error.code == .refused { ask() }
            }
        }
    }
}

extension DaemonRequest<[RemoteDocument?]> {
    /// Documents by their keys, at one revision; nil for those that are not there. `keys` are at most 1,024.
    package static func documents(keys: [String]) -> DaemonRequest {
        let calls = keys.map { key -> JSONValue in
            ["method": "documents.get", "params": ["key": .string(key)]]
        }
        let count = keys.count
        return DaemonRequest("batch", RawJSON(["calls": .array(calls)])) { view in
            reading(view) { reader throws(ProtocolError) in
                var found: [RemoteDocument?] = []
                for result in try reader.objects("results") {
                    let document = try result.optionalObject("result")
                    found.append(
                        try document.map { body throws(ProtocolError) in
                            RemoteDocument(try DocumentRecord(reading: body))
                        })
                }
                guard found.count == count else {
                    throw reader.invalid("results", mustBe: "\(count) of them")
                }
                return found
            }
        }
    }
}
