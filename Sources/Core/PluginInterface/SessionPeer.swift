package import JSONText
package import WireProtocol

/// The daemon's side of a connection to a process that is asked as well as asking: a plugin's.
///
/// The process may call every method, as clients do. Its answers to the daemon's requests, and what it tells the
/// daemon unasked, come to the peer at once: they never wait behind a request of its own whose answer is pending.
package protocol SessionPeer: AnyObject {
    /// The identifier of the plugin.
    var plugin: String { get }

    /// An answer to a request of the daemon.
    func receive(_ reply: ReplyEnvelope)

    /// A request or notification of the process.
    /// - Returns: whether the peer has handled it; otherwise it is a request like any client's.
    func receive(_ request: RequestEnvelope) -> Bool

    /// A line that is neither a request nor an answer.
    func receive(_ fault: RefusedLine)

    /// A line that is longer than a line may be; the rest of it is skipped.
    func receivedOverlongLine()

    /// The connection was closed, by either side. Nothing comes after it.
    func connectionEnded()
}

/// A connection to a `SessionPeer`'s process.
package protocol PeerConnection: AnyObject {
    /// Sends one line, after everything sent before: `write` writes the JSON object.
    ///
    /// - Returns: whether it was sent: not if it would be longer than a line may be, or the connection has ended.
    func post(_ write: (inout JSONWriter) -> Void) -> Bool

    /// The bytes that the process has not taken yet.
    var waitingBytes: Int { get }

    /// Ends the connection now. The peer is told. The socket is closed once the connection is released, too.
    func close()
}
