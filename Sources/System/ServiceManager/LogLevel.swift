// How much a log message matters, and what a message is.

/// How much a log message matters, in the numbers of syslog.
package enum LogLevel: Int32, CaseIterable, Comparable, Sendable {
    /// Something asked for does not work.
    case error = 3
    /// It works, but not as meant.
    case warning = 4
    /// Normal, and worth knowing.
    case notice = 5
    case info = 6
    case debug = 7

    /// From settings: `error`, `warning`, `notice`, `info`, `debug`.
    package init?(name: String) {
        guard let level = Self.allCases.first(where: { "\($0)" == name }) else { return nil }
        self = level
    }

    /// What matters more is greater.
    package static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.rawValue > right.rawValue
    }
}

/// One message with its fields.
package struct LogRecord: Hashable, Sendable {
    package var level: LogLevel
    package var message: String
    /// Structured fields, for the journal. Names as the journal has them: capitals, digits and
    /// underscores, up to 64, not beginning with an underscore or a digit.
    package var fields: [String: String]

    package init(level: LogLevel, message: String, fields: [String: String] = [:]) {
        self.level = level
        self.message = message
        self.fields = fields
    }
}

/// Where messages go.
package protocol LogSink: AnyObject {
    /// Writes a message. A message that cannot be written is lost: nobody could be told.
    func write(_ record: LogRecord)
}
