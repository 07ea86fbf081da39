// A live list for tasks. The list itself is on the client's thread; other threads hold this object.
// Releasing it closes the list.

/// A live list, as a sequence of its states.
///
///     for try await update in client.list(ListQuery(sort: ["date"], count: 20)) {
///         show(update.items)
///     }
///
/// The first update has the first items. There may be one reader at a time: a second task that waits for an
/// update is a programming error, which traps. A slow reader gets fewer updates: all changes since the last
/// one are merged.
///
/// Without a connection the items stay (``ListUpdate/isConnected`` is false); after reconnecting, an update
/// has the difference. The sequence ends when the client is closed or the reading task is cancelled, and
/// throws a ``ClientError`` if the daemon refuses the query. The list is closed when this object and its
/// iterators are released.
public final class RemoteList: AsyncSequence, Sendable {
    /// A state of the list.
    public typealias Element = ListUpdate

    private let client: DaemonClient
    private let number: Int
    private let mailbox = Mailbox(MergedUpdate())

    init(_ client: DaemonClient, _ query: ListQuery) {
        self.client = client
        number = client.nextNumber()
        let isPosted = client.thread.post { [mailbox, number] core in
            core.openList(number, query, into: mailbox)
        }
        if !isPosted { mailbox.finish(throwing: nil) }
    }

    deinit {
        client.thread.post { [number] core in core.close(number) }
    }

    /// Changes the query of the list. The items stay until those of the new query have arrived.
    ///
    /// - Parameter query: the new query.
    /// - Throws: a ``ClientError`` if the daemon refuses; the list then stays unchanged.
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
