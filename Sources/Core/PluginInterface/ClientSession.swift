package import JSONText
package import WireProtocol

/// A client's connection as a plugin sees it, where it opens streams of notifications.
///
/// Streams are pulled, never pushed. A stream with something to send calls `requestRoom`; the session calls its
/// `produce` at the end of the turn if the client keeps up with its output, and otherwise as soon as it does.
/// So nothing is computed for a client that doesn't read, all changes in the meantime are sent in one piece
/// when it reads again, and no plugin needs a queue.
package protocol ClientSession: AnyObject {
    /// Opens `stream` under `id`, the id of the request for it, and sets its `place`.
    ///
    /// - Throws: `conflict` if that id names an open stream, `limitExceeded` if the client has as many open
    ///   streams as allowed.
    func open(_ stream: any SessionStream, as id: RequestID) throws(ProtocolError)

    /// The open stream of that id, or nil.
    func stream(_ id: RequestID) -> (any SessionStream)?

    /// Closes the stream of that id; it sends nothing more.
    func close(_ id: RequestID)

    /// What positions in texts count for this client: `utf8`, `utf16` or `codepoint`.
    var textUnits: String { get }

    /// The plugin whose process is at the other end; nil for a client.
    var pluginProcess: String? { get }
}

/// The place of an open stream in its session.
package protocol StreamPlace: AnyObject {
    /// Requests a call of the stream's `produce` once there is room. Idempotent until that call.
    func requestRoom()
}

/// A source of notifications in a session: a list, a subscription, a layout.
package protocol SessionStream: AnyObject {
    /// The identifier of its plugin; it is closed when the plugin is switched off.
    var plugin: String { get }
    /// Its place while it is open. The session sets it, and clears it before `close`.
    var place: (any StreamPlace)? { get set }
    /// Whether requests may name it; false once it has ended by itself, while its last line waits.
    var isOpen: Bool { get }

    /// Sends its pending output while the sink has room.
    ///
    /// - Returns: whether it has more, and wants another call when there is room.
    func produce(into sink: any LineSink) -> Bool

    /// Called when the stream or its session was closed: releases all resources.
    func close()
}

extension SessionStream {
    package var isOpen: Bool { true }

    /// Requests room from its session. Does nothing unless the stream is open.
    package func requestRoom() { place?.requestRoom() }
}

/// The destination of a stream's lines.
package protocol LineSink: AnyObject {
    /// Whether the client's output queue is below its soft limit. Above it, a stream sends no further line.
    var hasRoom: Bool { get }

    /// Sends one line: `write` writes the JSON object, the sink appends the line end.
    func send(_ write: (inout JSONWriter) -> Void)

    /// Sends one existing line in two parts; the second includes the line end.
    func send(line head: [UInt8], _ rest: ByteSlice)

    /// Sends one line that `write` writes, unless it exceeds the line limit.
    /// - Returns: whether it was sent.
    func sendIfItFits(_ write: (inout JSONWriter) -> Void) -> Bool
}
