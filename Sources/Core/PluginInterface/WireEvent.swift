internal import DataBus
package import JSONText

/// An event as it goes over the wire: a topic, and data that is JSON text already.
///
/// It holds its text once, as all of its subscribers are sent it: the end of a line, with the topic and the
/// data in it, and before that room for the number and the time, which are written there when the first
/// subscriber is sent it. So an event is one copy of what was published, and a thousand subscribers share it.
package final class WireEvent: Event {
    package let name: Topic

    private var line: [UInt8]
    /// Where in the line the data are; nil for an event that has none.
    private let dataPlace: Range<Int>?
    /// The number that is written in the line, and where the members begin.
    private var written: (sequence: Int, start: Int)?

    /// What `"seq":…,"time":…,` takes at the most, with numbers as long as they get.
    private static let room = 64

    package var topic: String { name.text }

    /// The text of the event, and what an entry of the replay buffer costs beside it.
    package var retainedBytes: Int { line.count + 160 }

    /// The text of the data; nil for an event that has none.
    package var dataText: ByteSlice? { dataPlace.map { ByteSlice(line, $0) } }

    /// The data; nil for an event that has none.
    package var data: JSONFragment? { dataText.map { JSONFragment(sound: Array($0)) } }

    package convenience init(topic: Topic, data: JSONFragment?) {
        self.init(topic: topic, copying: data?.view)
    }

    /// An event with the text of `data`, nil for none.
    package init(topic: Topic, copying data: JSONView?) {
        name = topic
        let beforeTopic: StaticString = "\"topic\":\""
        let afterTopic: StaticString = data == nil ? "\"" : "\",\"data\":"
        var text = topic.text
        let topicEnd = Self.room + beforeTopic.utf8CodeUnitCount + text.utf8.count
        let dataStart = topicEnd + afterTopic.utf8CodeUnitCount
        let dataEnd = dataStart + (data?.bytes.count ?? 0)
        let size = dataEnd + Self.end.utf8CodeUnitCount
        line = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            // What is put adds up to the size. A topic has no character that needs an escape.
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
            if let data {
                unsafe data.bytes.array.withUnsafeBufferPointer {
                    unsafe put($0.extracting(data.bytes.range))
                }
            }
            Self.end.withUTF8Buffer { unsafe put($0) }
        }
        dataPlace = data == nil ? nil : dataStart..<dataEnd
        if data != nil { JSONFragment.replaceLineBreaks(in: &line, dataStart..<dataEnd) }
    }

    private static var end: StaticString { "}}\n" }

    /// The part of this event's line that all subscribers see alike, sent under that number at that time: the
    /// members after the subscription's id, and the end of the line. An empty `writer` writes the numbers,
    /// once, and is empty again after that.
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

    /// What `rest` gave, without the end of the line.
    package static func members(of rest: ByteSlice) -> ByteSlice {
        rest.part(0..<(rest.count - end.utf8CodeUnitCount))
    }
}
