/// Runs `body` as one transaction: however many writes it makes, each observer receives one change, the
/// difference between before and after, when all of it is done.
///
/// Inside, reads return the writes so far, derived values included. A nested transaction is part of the
/// outer one. An error thrown by `body` also ends the transaction: the writes stay and are delivered to
/// observers. The writes of an observer are queued until all observers have been called; a `transaction`
/// in an observer queues its writes as one transaction.
///
/// - Complexity: one recomputation of each active node with changed inputs, and one call of each
///   affected sink.
public func transaction<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
) throws(Failure) -> Result {
    try ObservableScheduler.current.transaction(body)
}
