package import JSONText

/// An event for one subscriber: `event`.
package struct EventRecord: Sendable, Hashable, WireReadable {
    package static var method: StaticString { "event" }

    /// Nil in the result of `events.replay`, which belongs to no subscription.
    package var sub: RequestID?
    package var seq: Int
    /// Seconds since 1970 UTC.
    package var time: Double
    package var topic: String
    package var data: JSONFragment?
    package var replayed: Bool

    package init(reading reader: ParameterReader) throws(ProtocolError) {
        sub = try reader.optionalRequestID("sub")
        seq = try reader.int("seq")
        time = try reader.double("time")
        topic = try reader.string("topic")
        data = reader.optionalFragment("data")
        replayed = try reader.optionalBool("replayed") ?? false
    }
}

/// Events lost because the subscriber was too slow: `$/lost`.
package struct LostNotice: Hashable, Sendable, WireNotification, WireReadable {
    package static var method: StaticString { "$/lost" }

    package var sub: RequestID
    /// The number of the first lost event.
    package var from: Int
    /// The number of the last lost event.
    package var to: Int
    package var reason: String

    package init(sub: RequestID, from: Int, to: Int, reason: String = "slow") {
        self.sub = sub
        self.from = from
        self.to = to
        self.reason = reason
    }

    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("sub", sub)
        writer.member("from", from)
        writer.member("to", to)
        writer.member("reason", reason)
        writer.endObject()
    }

    package init(reading reader: ParameterReader) throws(ProtocolError) {
        sub = try reader.requestID("sub")
        from = try reader.int("from")
        to = try reader.int("to")
        reason = try reader.optionalString("reason") ?? ""
    }
}
