// pickerd's log.
//
// Messages below the minimum level are dropped before their text is built. A repeated message is written ten
// times in thirty seconds and then counted; the count is written with the next one that passes. So clients
// cannot flood the journal.

package import EventLoops

/// Writes messages to a sink.
package final class Logger {
    /// The number of times that the same message is written within `period`.
    package static let burst = 10
    package static let period = Duration.seconds(30)
    /// The number of different messages counted at a time; beyond it, all counts are reset.
    package static let mostCounted = 256

    /// The minimum level; messages below it are dropped.
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

    /// A logger to the journal if standard error is connected to it, otherwise to standard error.
    package static func standard(
        loop: any EventLoop, minimum: LogLevel = .info
    ) -> Logger {
        let isJournal = JournalSink.takesStandardError
        return Logger(
            loop: loop, sink: isJournal ? JournalSink() : StandardErrorSink(), minimum: minimum)
    }

    /// Writes a message, unless its level is too low or it is repeated too often.
    /// - Complexity: O(1), apart from the message's length.
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

    /// Admits a message unless it is repeated too often.
    /// - Returns: the number of equal messages dropped before; `nil` if this one is dropped.
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
