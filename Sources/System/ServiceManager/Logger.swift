// pickerd's log.
//
// Messages that matter too little are dropped before their text is made. The same message again
// and again is written ten times in thirty seconds and then counted, and the count is written with
// the next one that is let through; so what a client can provoke cannot fill the journal.

package import SystemdEventLoop

/// Writes messages to a sink.
package final class Logger {
    /// So often the same message is written within `period`.
    package static let burst = 10
    package static let period = Duration.seconds(30)
    /// So many different messages are counted at a time; the counts start anew beyond.
    package static let mostCounted = 256

    /// Messages below are dropped.
    package var minimum: LogLevel
    private let sink: any LogSink
    private let loop: any EventLoop
    private var counts: [Key: Count] = [:]

    private struct Key: Hashable {
        let level: LogLevel
        let message: String
    }

    private struct Count {
        let start: MonotonicInstant
        var written = 0
        var dropped = 0
    }

    package init(loop: any EventLoop, sink: any LogSink, minimum: LogLevel = .info) {
        self.loop = loop
        self.sink = sink
        self.minimum = minimum
    }

    /// A logger to the journal if standard error goes there, else to standard error.
    package static func standard(
        loop: any EventLoop, minimum: LogLevel = .info
    ) -> Logger {
        let isJournal = JournalSink.takesStandardError
        return Logger(
            loop: loop, sink: isJournal ? JournalSink() : StandardErrorSink(), minimum: minimum)
    }

    /// Writes a message, unless it matters too little or came too often.
    /// - Complexity: O(1) besides the message's length.
    package func log(
        _ level: LogLevel, _ message: @autoclosure () -> String,
        _ fields: @autoclosure () -> [String: String] = [:]
    ) {
        loop.preconditionOnLoop()
        if level < minimum { return }
        var record = LogRecord(level: level, message: message(), fields: fields())
        guard let dropped = admit(Key(level: level, message: record.message)) else { return }
        if dropped > 0 {
            record.message += " (and \(dropped) times more before)"
        }
        sink.write(record)
    }

    /// `nil` for a message that came too often; else how many like it were dropped before.
    private func admit(_ key: Key) -> Int? {
        let now = loop.now
        if let count = counts[key], count.start.duration(to: now) < Self.period {
            if count.written < Self.burst {
                counts[key]?.written += 1
                return 0
            }
            counts[key]?.dropped += 1
            return nil
        }
        let dropped = counts[key]?.dropped ?? 0
        if counts.count >= Self.mostCounted, counts[key] == nil { counts.removeAll() }
        counts[key] = Count(start: now, written: 1)
        return dropped
    }
}
