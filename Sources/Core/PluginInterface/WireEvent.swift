internal import DataBus
package import JSONText

/// An event on the wire: a topic, and data that is already JSON text.
///
/// All subscribers share one text: the end of a line with the topic and the data, preceded by room for the
/// number and the time, which are written when the first subscriber is sent the event. So an event is one copy
/// of the published data, shared by a thousand subscribers.
package final class WireEvent: Event {
    package let name: Topic

    private var line: [UInt8]
    /// The range of the data in the line; nil for an event without data.
    private let dataPlace: Range<Int>?
    /// The number written into the line, and the start of the members.
    private var written: (sequence: Int, start: Int)?

    /// The most bytes of `"seq":…,"time":…,`, with the longest numbers.
    private static let room = 64

    package var topic: String { name.text }

    /// The bytes of the event and of its entry in the replay buffer.
    package var retainedBytes: Int { line.count + 160 }

    /// The text of the data; nil for an event without data.
    package var dataText: ByteSlice? { dataPlace.map { ByteSlice(line, $0) } }

    /// The data; nil for an event without data.
    package var data: JSONFragment? { dataText.map { JSONFragment(sound: Array($0)) } }

    package convenience init(topic: Topic, data: JSONFragment?) {
        self.init(topic: topic, copying: data?.view)
    }

    /// An event with the text of `data`; nil for none.
    package init(topic: Topic, copying data: JSONView?) {
        name = topic
        guard let data else {
            unsafe line = Self.line(topic, nil).line
            dataPlace = nil
            return
        }
        // The buffer is used within the call only.
        var (line, place) = unsafe data.bytes.array.withUnsafeBufferPointer {
            unsafe Self.line(topic, $0.extracting(data.bytes.range))
        }
        JSONFragment.replaceLineBreaks(in: &line, place)
        self.line = line
        dataPlace = place
    }

    /// An event with the value that a writer has written, which has no line breaks.
    package init(topic: Topic, copying data: borrowing JSONWriter) {
        name = topic
        // As above.
        let (line, place) = unsafe data.withBytes { unsafe Self.line(topic, $0) }
        self.line = line
        dataPlace = place
    }

    /// The end of a line with this topic and data, and where the data are.
    private static func line(
        _ topic: Topic, _ data: UnsafeBufferPointer<UInt8>?
    ) -> (line: [UInt8], place: Range<Int>) {
        let beforeTopic: StaticString = "\"topic\":\""
        let afterTopic: StaticString = unsafe data == nil ? "\"" : "\",\"data\":"
        var text = topic.text
        let topicEnd = Self.room + beforeTopic.utf8CodeUnitCount + text.utf8.count
        let dataStart = topicEnd + afterTopic.utf8CodeUnitCount
        let dataEnd = unsafe dataStart + (data?.count ?? 0)
        let size = dataEnd + Self.end.utf8CodeUnitCount
        let line = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            // The parts add up to `size`. A topic has no character that needs an escape.
            unsafe buffer[..<Self.room].initialize(repeating: 0x20)
            count = Self.room
            func put(_ bytes: UnsafeBufferPointer<UInt8>) {
                guard let from = bytes.baseAddress else { return }
                unsafe buffer.baseAddress?.advanced(by: count)
                    .initialize(from: from, count: bytes.count)
                count += bytes.count
            }
            beforeTopic.withUTF8Buffer { unsafe put($0) }
            text.withUTF8 { unsafe put($0) }
            afterTopic.withUTF8Buffer { unsafe put($0) }
            if let data = unsafe data { unsafe put(data) }
            Self.end.withUTF8Buffer { unsafe put($0) }
        }
        return (line, dataStart..<dataEnd)
    }

    private static var end: StaticString { "}}\n" }

    /// The part of the event's line that all subscribers share, with this number and time: the members after
    /// the subscription id, and the line end. The numbers are written once, using `writer`, which must be empty
    /// and is empty again afterwards.
    package func rest(sequence: Int, time: Double, using writer: inout JSONWriter) -> ByteSlice {
        if let written, written.sequence == sequence {
            return ByteSlice(line, written.start..<line.count)
        }
        writer.member("seq", sequence)
        writer.member("time", time)
        let start = writer.moveMembers(into: &line, before: Self.room)
        written = (sequence, start)
        return ByteSlice(line, start..<line.count)
    }

    /// The result of `rest` without the line end.
    package static func members(of rest: ByteSlice) -> ByteSlice {
        rest.part(0..<(rest.count - end.utf8CodeUnitCount))
    }
}
