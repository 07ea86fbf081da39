internal import DequeModule
internal import JSONText
internal import PluginInterface
internal import WireProtocol

/// The last lines that the processes of one plugin printed, and who follows them: 1,000 lines, or 64 KiB, of which the
/// oldest go first.
final class PluginLog {
    static let mostLines = 1000
    static let mostBytes = 64 << 10

    struct Line {
        let number: Int
        let time: Double
        let text: String

        func write(to writer: inout JSONWriter) {
            writer.object { writer in
                writer.member("number", number)
                writer.member("time", time)
                writer.member("text", text)
            }
        }
    }

    private var lines = Deque<Line>()
    private var bytes = 0
    private(set) var last = 0
    private var followers: [PluginLogStream] = []

    func add(_ text: String, at time: Double) {
        last += 1
        lines.append(Line(number: last, time: time, text: text))
        bytes += text.utf8.count
        while lines.count > Self.mostLines || bytes > Self.mostBytes, let gone = lines.popFirst() {
            bytes -= gone.text.utf8.count
        }
        for follower in followers { follower.requestRoom() }
    }

    /// The lines that are kept after that number.
    /// - Complexity: O(the lines)
    func lines(after number: Int) -> Deque<Line>.SubSequence {
        let left = max(0, min(lines.count, last - number))
        return lines.suffix(left)
    }

    func add(_ follower: PluginLogStream) { followers.append(follower) }
    func remove(_ follower: PluginLogStream) { followers.removeAll { $0 === follower } }
}

/// The lines of a plugin's log as they come, for one client.
final class PluginLogStream: SessionStream {
    /// The lines of one notification.
    private static let chunk = 64

    let plugin: String
    var place: (any StreamPlace)?
    private let id: RequestID
    private let log: PluginLog
    private var sent: Int

    init(_ id: RequestID, of log: PluginLog, plugin: String) {
        self.id = id
        self.log = log
        self.plugin = plugin
        sent = log.last
        log.add(self)
    }

    func produce(into sink: any LineSink) -> Bool {
        while sink.hasRoom, sent < log.last {
            let lines = log.lines(after: sent).prefix(Self.chunk)
            guard let first = lines.first, let last = lines.last else { break }
            let lost = first.number - sent - 1
            sent = last.number
            sink.send { line in
                line.notification("plugins.logged") { writer in
                    writer.object { writer in
                        writer.member("sub", id)
                        if lost > 0 { writer.member("lost", lost) }
                        writer.member(array: "lines") { writer in
                            for line in lines { line.write(to: &writer) }
                        }
                    }
                }
            }
        }
        return sent < log.last
    }

    func close() { log.remove(self) }
}
