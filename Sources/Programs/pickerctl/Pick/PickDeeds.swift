import JSONText
package import PickerClient
package import Picking

// What a picker does to documents, and what it asks besides its list. Without a connection nothing waits for the next
// one: a person who marked something to go to the trash may no longer want that then.

/// Carries out what a picker wants.
package final class PickDeeds {
    /// The most keys of a request.
    private static let mostKeys = 1000

    private let session: ReconnectingSession

    package init(on session: ReconnectingSession) { self.session = session }

    /// Does it, and tells once that it is done.
    package func perform(_ command: PickCommand, _ tell: @escaping (PickEvent) -> Void) {
        let id = command.id
        func done(_ failure: String?, _ uris: [String] = []) {
            tell(.done(id: id, failure: failure, uris: uris))
        }
        guard let connection = session.connection else {
            return done("there is no connection to the daemon")
        }
        switch command.deed {
        case .like(let keys, let isLiked):
            inParts(keys, { connection.send(.like(keys: $0, isLiked)) }, { _ in [] }, done)
        case .drop(let keys):
            inParts(keys, { connection.send(.drop(keys: $0)) }, { _ in [] }, done)
        case .restore(let keys):
            inParts(keys, { connection.send(.restore(keys: $0)) }, { _ in [] }, done)
        case .run(let action, let keys, let isConfirmed):
            inParts(
                keys, { connection.send(.run(action, keys: $0, isConfirmed: isConfirmed)) },
                { $0 }, done)
        case .untrash(let uris):
            inParts(uris, { connection.send(.untrash(uris: $0)) }, { $0 }, done)
        }
    }

    /// Sends a request for each part of the keys, and calls `done` after the last answer.
    private func inParts<Value>(
        _ keys: [String], _ send: ([String]) -> Reply<Value>,
        _ results: @escaping (Value) -> [ActionResult],
        _ done: @escaping (_ failure: String?, _ uris: [String]) -> Void
    ) {
        let parts = Self.parts(of: keys)
        var left = parts.count
        if left == 0 { return done(nil, []) }
        var faults: [String] = []
        var uris: [String] = []
        for part in parts {
            send(part).then { outcome in
                switch outcome {
                case .success(let value):
                    for result in results(value) {
                        if let error = result.error { faults.append(error) }
                        if let uri = result.uri { uris.append(uri) }
                    }
                case .failure(let error):
                    faults += Array(repeating: "\(error)", count: part.count)
                }
                left -= 1
                if left == 0 { done(Self.text(faults, of: keys.count), uris) }
            }
        }
    }

    private static func parts(of keys: [String]) -> [[String]] {
        stride(from: 0, to: keys.count, by: mostKeys).map {
            Array(keys[$0..<min(keys.count, $0 + mostKeys)])
        }
    }

    /// What went wrong; nil if nothing did.
    private static func text(_ faults: [String], of count: Int) -> String? {
        guard let first = faults.first else { return nil }
        return count == 1 ? first : "\(faults.count) of \(count): \(first)"
    }

    /// Asks which actions there are; none if that can't be told.
    package func offer(for request: KeysRequest, _ tell: @escaping (PickEvent) -> Void) {
        guard let connection = session.connection else {
            return tell(.offered(request: request.number, []))
        }
        let keys = Array(request.keys.prefix(Self.mostKeys))
        connection.send(.actions(keys: keys)).then { outcome in
            tell(.offered(request: request.number, (try? outcome.get()) ?? []))
        }
    }

    /// Asks for the names of attributes; none if that can't be told.
    package func attributes(_ tell: @escaping (PickEvent) -> Void) {
        guard let connection = session.connection else { return }
        connection.send(.attributeNames).then { outcome in
            tell(.attributes((try? outcome.get()) ?? []))
        }
    }

    /// Counts a visit of what was picked, so that it is found more easily next time. That is no reason to wait long, or to
    /// fail.
    package func visited(_ keys: [String], within limit: Duration) {
        guard let connection = session.connection else { return }
        let replies = Self.parts(of: keys).map { connection.send(.visited(keys: $0)) }
        // The daemon answers in order.
        try? replies.last?.wait(within: limit)
    }
}

extension DaemonRequest<[String]> {
    /// The names of the attributes that there are.
    static var attributeNames: DaemonRequest {
        DaemonRequest("attributes.list") { view in
            guard let elements = try? view.elements() else { return .success([]) }
            return .success(
                elements.compactMap { RawJSON($0.fragment)["name"]?.string })
        }
    }
}
