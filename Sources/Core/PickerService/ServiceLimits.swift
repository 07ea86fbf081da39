internal import WireProtocol

/// What one daemon takes on. Each limit has one result, which is stated beside it.
package struct ServiceLimits: Equatable {
    /// The most clients at once. One more is told so and closed.
    package var clients = 4096
    /// The most bytes in a request, its LF not counted. A longer one is skipped and answered 1008.
    package var line = 1 << 20
    /// The most bytes in an `id` that is a string. A longer one is answered 1008, with `id` null.
    package var identifier = RequestID.longestText
    /// Bytes waiting to be sent to one client above which nothing more is computed for its streams.
    package var queueSoft = 256 << 10
    /// Bytes waiting to be sent to one client above which its requests wait, too. A client that
    /// stays above for `slowGrace` is told goodbye and closed.
    package var queueHard = 4 << 20
    /// How long a client may stay above `queueHard`.
    package var slowGrace: Duration = .seconds(30)
    /// The most streams open in one session. One more is refused with 1008.
    package var subscriptions = 1024
    /// The most calls in one batch. A larger one is refused with 1008.
    package var batchCalls = 1024
    /// How long the documents may be held as they are for one batch. The calls that are left then are
    /// refused with 1008.
    package var batchTime: Duration = .seconds(2)
    /// The most requests, and bytes of requests, that wait behind one whose answer is not there
    /// yet. Above that no more is read.
    package var waitingRequests = 1024
    package var waitingBytes = 1 << 20
    /// How long clients have to take the last lines when the daemon stops.
    package var partingGrace: Duration = .milliseconds(500)

    package init() {}
}
