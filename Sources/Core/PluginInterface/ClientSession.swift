package import JSONText
package import WireProtocol

/// A client's connection, as a plugin sees it: a place where streams of notifications are opened.
///
/// Streams are pulled, never pushed. A stream that has something to say asks for room with
/// `requestRoom`; the session calls its `produce` at the end of the turn if the client takes what it is
/// sent, and otherwise as soon as it does. So nothing is computed for a client that doesn't
/// read, whatever happens meanwhile is told in one piece once it does, and no plugin holds a queue.
package protocol ClientSession: AnyObject {
    /// Opens `stream` under `id`, the id of the request that asks for it, and gives it its place.
    ///
    /// - Throws: `conflict` if that id names something still open, `limitExceeded` if the client has
    ///   as many open streams as it may.
    func open(_ stream: any SessionStream, as id: RequestID) throws(ProtocolError)

    /// The open stream of that id, if there is one.
    func stream(_ id: RequestID) -> (any SessionStream)?

    /// Closes the stream of that id; nothing more of it is sent.
    func close(_ id: RequestID)
}

/// The place of an open stream in its session.
package protocol StreamPlace: AnyObject {
    /// Has `produce` called on the stream, once there is room. Asking again before then changes nothing.
    func requestRoom()
}

/// Something open in a session that sends notifications: a list, a subscription, a layout.
package protocol SessionStream: AnyObject {
    /// The identifier of the plugin that serves it, with which it goes.
    var plugin: String { get }
    /// Its place, while it is open. The session gives it, and takes it back before `close`.
    var place: (any StreamPlace)? { get set }

    /// Sends what there is to send, while the sink has room.
    ///
    /// - Returns: whether it has more to send and wants to be called again when there is room.
    func produce(into sink: any LineSink) -> Bool

    /// The stream was closed, or its session is gone: let go of everything.
    func close()
}

extension SessionStream {
    /// Asks its session for room. Without effect unless it is open.
    package func requestRoom() { place?.requestRoom() }
}

/// Where a stream's lines go.
package protocol LineSink: AnyObject {
    /// Whether the client's queue is below its soft limit. A stream sends no further line when it isn't.
    var hasRoom: Bool { get }

    /// Sends one line: `write` writes the JSON object, the sink ends the line.
    func send(_ write: (inout JSONWriter) -> Void)

    /// Sends one line that there is already, in two parts; the second ends with the line's end.
    func send(line head: [UInt8], _ rest: ByteSlice)

    /// Sends one line as `write` does, unless it would be longer than a line may be, in which case it is
    /// taken back and the answer is false.
    func sendIfItFits(_ write: (inout JSONWriter) -> Void) -> Bool
}
