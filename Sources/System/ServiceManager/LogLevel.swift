// Log levels and messages.

/// The severity of a log message, with the numbers of syslog.
package enum LogLevel: Int32, CaseIterable, Comparable, Sendable {
    /// A requested function does not work.
    case error = 3
    /// It works, but not as intended.
    case warning = 4
    /// Normal, and worth noting.
    case notice = 5
    case info = 6
    case debug = 7

    /// The level of that name, as in settings: `error`, `warning`, `notice`, `info`, `debug`.
    package init?(name: String) {
        guard let level = Self.allCases.first(where: { "\($0)" == name }) else { return nil }
        self = level
    }

    /// More severe levels are greater.
    package static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.rawValue > right.rawValue
    }
}

/// One message with its fields.
package struct LogRecord: Hashable, Sendable {
    package var level: LogLevel
    package var message: String
    /// Structured fields for the journal. Names follow its rules: capitals, digits and underscores, up to 64,
    /// beginning with a capital.
    package var fields: [String: String]

    package init(level: LogLevel, message: String, fields: [String: String] = [:]) {
        self.level = level
        self.message = message
        self.fields = fields
    }
}

/// The destination of messages.
package protocol LogSink: AnyObject {
    /// Writes a message. Failures are ignored, as there is nowhere to report them.
    func write(_ record: LogRecord)
}
