internal import WireProtocol

/// The limits of the daemon, and the effect of each.
package struct ServiceLimits: Equatable {
    /// The most capabilities that a client may require, or name as optional.
    static let capabilities = 1024

    /// The most clients at once. Another one gets an error and is closed.
    package var clients = 4096
    /// The most bytes of a request, without its LF. A longer one is skipped and answered with 1008.
    package var line = 1 << 20
    /// The most bytes of a string `id`. A longer one is answered with 1008 and a null `id`.
    package var identifier = RequestID.longestText
    /// The bytes in a client's output queue above which its streams produce nothing.
    package var queueSoft = 256 << 10
    /// The bytes in a client's output queue above which its requests wait, too. A client above it for
    /// `slowGrace` gets a goodbye and is closed.
    package var queueHard = 4 << 20
    /// The time that a client may stay above `queueHard`.
    package var slowGrace: Duration = .seconds(30)
    /// The most open streams of one session. Another one is refused with 1008.
    package var subscriptions = 1024
    /// The most calls of one batch. A larger batch is refused with 1008.
    package var batchCalls = 1024
    /// The time that one batch may hold the documents unchanged. The remaining calls are then refused with
    /// 1008.
    package var batchTime: Duration = .seconds(2)
    /// The most requests, and their bytes, that wait behind a pending answer. Above that, no more are read.
    package var waitingRequests = 1024
    package var waitingBytes = 1 << 20
    /// The time that clients have to receive the last lines when the daemon stops.
    package var partingGrace: Duration = .milliseconds(500)
    /// The time without requests, after a client has left, after which what was kept for it is given up.
    package var idleTime: Duration = .seconds(2)

    package init() {}
}
