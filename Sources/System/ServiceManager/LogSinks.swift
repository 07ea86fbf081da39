// The destinations of the log: the journal, or standard error.

import CSystemd
import Glibc
import SystemInterface

/// Plain lines on standard error: `pickerd: message`.
package final class StandardErrorSink: LogSink {
    private let descriptor: Int32

    /// Writes to a descriptor owned by the caller; standard error by default.
    package init(descriptor: Int32 = STDERR_FILENO) {
        self.descriptor = descriptor
    }

    package func write(_ record: LogRecord) {
        let line = Array("pickerd: \(Self.oneLine(record.message))\n".utf8)
        // One call, so that lines of several processes do not mix. Failures are ignored.
        _ = unsafe line.withUnsafeBytes {
            unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
        }
    }

    /// A message in one line, whatever file names it has: control characters are shown as `\u{…}`.
    static func oneLine(_ message: String) -> String {
        var line = ""
        for scalar in message.unicodeScalars {
            if scalar.properties.generalCategory == .control {
                line += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                line.unicodeScalars.append(scalar)
            }
        }
        return line
    }
}

/// The journal, with fields.
package final class JournalSink: LogSink {
    package init() {}

    /// Whether standard error is connected to the journal: JOURNAL_STREAM has its device and inode. A program
    /// started from another program's terminal inherits the variable but not the descriptor.
    package static var takesStandardError: Bool {
        guard let stream = CurrentProcess.environment("JOURNAL_STREAM"),
            let status = try? FileStatus.of(descriptorNumber: STDERR_FILENO)
        else { return false }
        return stream == "\(status.device):\(status.inode)"
    }

    package func write(_ record: LogRecord) {
        let entries = Self.entries(record).map { Array($0.utf8) }
        _ = unsafe withVectors(entries) {
            // The vectors point into arrays that live until the call returns.
            unsafe Int(sd_journal_sendv($0?.assumingMemoryBound(to: iovec.self), Int32($1)))
        }
    }

    /// The journal fields of a message. A field with an invalid name is omitted: the journal would refuse the
    /// whole message for it.
    package static func entries(_ record: LogRecord) -> [String] {
        var entries = [
            "MESSAGE=\(record.message)", "PRIORITY=\(record.level.rawValue)",
            "SYSLOG_IDENTIFIER=pickerd",
        ]
        for (name, value) in record.fields.sorted(by: { $0.key < $1.key }) where isName(name) {
            entries.append("\(name)=\(value)")
        }
        return entries
    }

    private static func isName(_ name: String) -> Bool {
        guard let first = name.utf8.first, name.utf8.count <= 64 else { return false }
        let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        return capitals.contains(first)
            && name.utf8.allSatisfy {
                capitals.contains($0) || digits.contains($0) || $0 == UInt8(ascii: "_")
            }
    }
}
