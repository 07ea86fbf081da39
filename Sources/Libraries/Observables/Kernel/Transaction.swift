/// Carries out `body` as one transaction: however much it writes, each observer is told once, of
/// the difference between before and after, when all of it is done.
///
/// Inside, reads give what has been written so far, derived values included. A transaction within
/// a transaction is part of it. An error thrown by `body` ends the transaction all the same: what
/// was written stays written and is told to observers. What an observer writes is queued until all
/// observers have been called; its `transaction` makes one transaction of that.
///
/// - Complexity: one recomputation of each active node below which something changed, and one call
///   of each sink concerned.
public func transaction<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
) throws(Failure) -> Result {
    try ObservableScheduler.current.transaction(body)
}
