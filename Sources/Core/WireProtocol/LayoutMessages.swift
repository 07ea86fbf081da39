package import JSONText

// The positions of a list's items in a layout computed by the daemon. Frames are absolute and identified by
// key: a client that keeps the newest frame of each key, and drops removed keys, has the layout.

/// `layout.frames`: all changed frames, or a part of them.
package struct LayoutFrames: Sendable, Equatable {
    /// The frame of one item, in px: origin top left, y down.
    package struct Frame: Hashable, Sendable {
        package var key: String
        package var x: Double
        package var y: Double
        package var width: Double
        package var height: Double

        package init(key: String, x: Double, y: Double, width: Double, height: Double) {
            self.key = key
            self.x = x
            self.y = y
            self.width = width
            self.height = height
        }
    }

    package var sub: RequestID
    /// The list of the layout.
    package var items: RequestID
    /// The revision of that list.
    package var rev: Int
    /// The ticks of a force layout since the last change; 0 for other layouts.
    package var tick: Int
    /// The total distance that cells moved in the last tick, in px; 0 for other layouts.
    package var movement: Double
    /// The size of the content including the bounds, in px.
    package var contentWidth: Double
    package var contentHeight: Double
    package var frames: [Frame]
    /// The keys of removed items.
    package var gone: [String]

    package init(
        sub: RequestID, items: RequestID, rev: Int, tick: Int = 0, movement: Double = 0,
        contentWidth: Double, contentHeight: Double, frames: [Frame] = [], gone: [String] = []
    ) {
        self.sub = sub
        self.items = items
        self.rev = rev
        self.tick = tick
        self.movement = movement
        self.contentWidth = contentWidth
        self.contentHeight = contentHeight
        self.frames = frames
        self.gone = gone
    }
}

extension LayoutFrames.Frame: WireWritable {
    package func write(to writer: inout JSONWriter) {
        writer.beginArray()
        writer.string(key)
        writer.double(x)
        writer.double(y)
        writer.double(width)
        writer.double(height)
        writer.endArray()
    }
}

extension LayoutFrames: WireNotification, WireReadable {
    package static var method: StaticString { "layout.frames" }

    package func write(to writer: inout JSONWriter) {
        var written = JSONWriter()
        for frame in frames { frame.write(to: &written) }
        var keys = JSONWriter()
        for key in gone { keys.string(key) }
        write(to: &writer, frames: written, gone: keys)
    }

    /// Writes the message with frames and keys that are written already, in place of its own.
    package func write(
        to writer: inout JSONWriter, frames: borrowing JSONWriter, gone: borrowing JSONWriter
    ) {
        writer.beginObject()
        writer.member("sub", sub)
        writer.member("items", items)
        writer.member("rev", rev)
        writer.member("tick", tick)
        writer.member("movement", movement)
        writer.member(array: "content") { array in
            array.double(contentWidth)
            array.double(contentHeight)
        }
        writer.member(array: "frames") { $0.splice(frames) }
        writer.member(array: "gone") { $0.splice(gone) }
        writer.endObject()
    }

    package init(reading reader: ParameterReader) throws(ProtocolError) {
        sub = try reader.requestID("sub")
        items = try reader.requestID("items")
        rev = try reader.int("rev")
        tick = try reader.optionalInt("tick", in: 0...Int.max) ?? 0
        movement = try reader.optionalDouble("movement") ?? 0
        let content = try reader.doubles("content", count: 2)
        contentWidth = content[0]
        contentHeight = content[1]
        frames = []
        for (index, view) in try reader.elements("frames").enumerated() {
            guard let frame = Frame(view) else {
                let path = "\(reader.path("frames"))[\(index)]"
                throw .invalidParams(
                    at: path, "'\(path)' must be [key, x, y, width, height]")
            }
            frames.append(frame)
        }
        gone = try reader.optionalStrings("gone") ?? []
    }
}

extension LayoutFrames.Frame {
    fileprivate init?(_ view: JSONView) {
        guard let parts = try? view.elements(), parts.count == 5,
            let key = parts[0].stringValue, let x = parts[1].doubleValue,
            let y = parts[2].doubleValue, let width = parts[3].doubleValue,
            let height = parts[4].doubleValue
        else { return nil }
        self.init(key: key, x: x, y: y, width: width, height: height)
    }
}

/// `layout.finished`: the cells of a force layout are at rest; their exact frames have been sent.
package struct LayoutFinished: Hashable, Sendable, WireNotification, WireReadable {
    package static var method: StaticString { "layout.finished" }

    package var sub: RequestID
    package var rev: Int
    package var ticks: Int
    package var movement: Double
    /// False if the limit of ticks was reached first; true is not written.
    package var isAtRest: Bool

    package init(sub: RequestID, rev: Int, ticks: Int, movement: Double, isAtRest: Bool = true) {
        self.sub = sub
        self.rev = rev
        self.ticks = ticks
        self.movement = movement
        self.isAtRest = isAtRest
    }

    package func write(to writer: inout JSONWriter) {
        writer.object { writeMembers(to: &$0) }
    }

    /// Writes only the members, for an object that has others too.
    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("sub", sub)
        writer.member("rev", rev)
        writer.member("ticks", ticks)
        writer.member("movement", movement)
        if !isAtRest { writer.member("rest", false) }
    }

    package init(reading reader: ParameterReader) throws(ProtocolError) {
        sub = try reader.requestID("sub")
        rev = try reader.int("rev")
        ticks = try reader.int("ticks", in: 0...Int.max)
        movement = try reader.optionalDouble("movement") ?? 0
        isAtRest = try reader.optionalBool("rest") ?? true
    }
}

/// `layout.closed`: the daemon has closed a layout by itself. Nothing more of it follows.
package struct LayoutClosed: Hashable, Sendable, WireNotification, WireReadable {
    package static var method: StaticString { "layout.closed" }

    package var sub: RequestID
    package var items: RequestID
    /// "items": the list was closed; "limit": the list has become too long; "failed": the layout failed.
    package var reason: String
    /// For people.
    package var message: String

    package init(sub: RequestID, items: RequestID, reason: String, message: String) {
        self.sub = sub
        self.items = items
        self.reason = reason
        self.message = message
    }

    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("sub", sub)
        writer.member("items", items)
        writer.member("reason", reason)
        writer.member("message", message)
        writer.endObject()
    }

    package init(reading reader: ParameterReader) throws(ProtocolError) {
        sub = try reader.requestID("sub")
        items = try reader.requestID("items")
        reason = try reader.optionalString("reason") ?? ""
        message = try reader.optionalString("message") ?? ""
    }
}
