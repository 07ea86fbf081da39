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
        line = []
        let text = topic.text.utf8
        line.reserveCapacity(Self.room + text.count + (data?.bytes.count ?? 0) + 24)
        line.append(contentsOf: Self.emptyRoom)
        line.append(contentsOf: Self.beforeTopic)
        line.append(contentsOf: text)
        if let data {
            line.append(contentsOf: Self.beforeData)
            let start = line.count
            data.appendLine(to: &line)
            dataPlace = start..<line.count
            line.append(contentsOf: Self.afterData)
        } else {
            dataPlace = nil
            line.append(contentsOf: Self.afterTopic)
        }
    }

    // A topic has no character that needs an escape.
    private static let emptyRoom = [UInt8](repeating: 0x20, count: room)
    private static let beforeTopic = Array(#""topic":""#.utf8)
    private static let beforeData = Array(#"","data":"#.utf8)
    private static let afterData = Array("}}\n".utf8)
    private static let afterTopic = Array("\"}}\n".utf8)

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
        rest.part(0..<(rest.count - afterData.count))
    }
}
