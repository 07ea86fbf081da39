// A live list for tasks. The list itself lives on the client's thread; this is the end of it that other
// threads hold. When it is let go of the list is closed.

/// A list that is kept current by the daemon, as a sequence of its states.
///
///     for try await update in client.list(ListQuery(sort: ["date"], count: 20)) {
///         show(update.items)
///     }
///
/// The first update comes with the first items. One reader at a time: a second task that waits for an
/// update is a fault of the program, which is ended. A reader that is slow gets fewer updates:
/// what has happened since the last is merged into one.
///
/// While there is no connection the items stay (``ListUpdate/isConnected`` is false); after it has been
/// made again comes what is different then. The sequence ends when the client is closed or the reading
/// task is cancelled, and throws a ``ClientError`` if the daemon refuses the query. The list is closed
/// when this object and its iterators are released.
public final class RemoteList: AsyncSequence, Sendable {
    /// A state of the list.
    public typealias Element = ListUpdate

    private let client: DaemonClient
    private let number: Int
    private let mailbox = UpdateMailbox()

    init(_ client: DaemonClient, _ query: ListQuery) {
        self.client = client
        number = client.nextNumber()
        let isPosted = client.thread.post { [mailbox, number] core in
            core.openList(number, query, into: mailbox)
        }
        if !isPosted { mailbox.finish(throwing: nil) }
    }

    deinit {
        client.thread.post { [number] core in core.closeList(number) }
    }

    /// Changes what the list shows. The items stay until those of the new query have come.
    ///
    /// - Parameter query: what it is to show from now on.
    /// - Throws: a ``ClientError`` if the daemon refuses; the list then goes on as it was.
    public func update(to query: ListQuery) async throws {
        let request = client.nextNumber()
        let limit = client.options.timeout
        try await client.wait(for: request) { [number] core, completion in
            core.updateList(number, to: query, as: request, within: limit, then: completion)
        }
    }

    /// A reader, which holds the list.
    public func makeAsyncIterator() -> Iterator { Iterator(list: self) }

    /// Reads the states of a list.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let list: RemoteList

        /// The next state; nil when the list has ended.
        public mutating func next() async throws -> ListUpdate? { try await list.mailbox.next() }
    }
}
