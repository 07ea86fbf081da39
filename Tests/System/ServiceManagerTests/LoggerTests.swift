import EventLoops
import Glibc
import ServiceManager
import SystemInterface
import TestSupport
import Testing

private final class RecordingSink: LogSink {
    var records: [LogRecord] = []
    func write(_ record: LogRecord) { records.append(record) }
}

@Suite("The log")
struct LoggerTests {
    @Test("messages below the minimum level are dropped before they are built")
    func minimum() {
        let sink = RecordingSink()
        let logger = Logger(loop: FakeLoop(), sink: sink, minimum: .notice)
        var made = 0
        func text() -> String {
            made += 1
            return "text \(made)"
        }
        for level in LogLevel.allCases { logger.log(level, text()) }
        #expect(sink.records.map(\.level) == [.error, .warning, .notice])
        #expect(made == 3)
        logger.minimum = .debug
        logger.log(.debug, text(), ["PICKERD_EVENT": "x"])
        #expect(
            sink.records.last
                == LogRecord(level: .debug, message: "text 4", fields: ["PICKERD_EVENT": "x"]))
    }

    @Test("a repeated message is written ten times, then counted")
    func repeated() {
        let loop = FakeLoop()
        let sink = RecordingSink()
        let logger = Logger(loop: loop, sink: sink)
        for _ in 0..<100 { logger.log(.warning, "again") }
        logger.log(.warning, "other")
        #expect(sink.records.count == Logger.burst + 1)
        loop.advance(by: Logger.period)
        logger.log(.warning, "again")
        #expect(sink.records.last?.message == "again (and 90 times more before)")
        logger.log(.warning, "again")
        #expect(sink.records.last?.message == "again")
    }

    @Test("very many different messages are all written")
    func manyMessages() {
        let sink = RecordingSink()
        let logger = Logger(loop: FakeLoop(), sink: sink)
        for number in 0..<(3 * Logger.mostCounted) { logger.log(.info, "message \(number)") }
        #expect(sink.records.count == 3 * Logger.mostCounted)
    }

    @Test("levels have names")
    func names() {
        #expect(LogLevel(name: "warning") == .warning)
        #expect(LogLevel(name: "loud") == nil)
        #expect(LogLevel.error > LogLevel.debug)
    }

    @Test("plain lines begin with the program's name, and stay one line each")
    func standardError() throws {
        let ends = try UnixSocket.pair().boxed()
        let sink = StandardErrorSink(descriptor: ends.first.number)
        sink.write(LogRecord(level: .error, message: "cannot open 'é'", fields: ["A": "b"]))
        sink.write(LogRecord(level: .info, message: "a\npickerd: forged\u{1b}[2J"))
        var buffer = [UInt8](repeating: 0, count: 500)
        let outcome = try ends.second.descriptor.read(into: &buffer)
        let expected = """
            pickerd: cannot open 'é'
            pickerd: a\\u{a}pickerd: forged\\u{1b}[2J

            """
        #expect(outcome == .bytes(expected.utf8.count))
        #expect(String(decoding: buffer.prefix(expected.utf8.count), as: UTF8.self) == expected)
    }

    @Test("the journal gets the message, its priority, and fields with valid names")
    func journalFields() {
        let record = LogRecord(
            level: .notice, message: "two\nlines",
            fields: [
                "PICKERD_EVENT": "ready", "N2": "", "_PID": "1", "lower": "x", "": "x", "2A": "x",
                "A=B": "x", String(repeating: "A", count: 65): "x",
            ])
        #expect(
            JournalSink.entries(record) == [
                "MESSAGE=two\nlines", "PRIORITY=5", "SYSLOG_IDENTIFIER=pickerd", "N2=",
                "PICKERD_EVENT=ready",
            ])
    }

    @Test("standard error is the journal only if it is the same stream")
    func journalStream() async {
        await #expect(processExitsWith: .success) {
            #expect(!JournalSink.takesStandardError)
            let ends = try UnixSocket.pair().boxed()
            let status = try FileStatus.of(ends.first.descriptor)
            setEnvironment("JOURNAL_STREAM", "\(status.device):\(status.inode)")
            #expect(!JournalSink.takesStandardError)
            let saved = dup(STDERR_FILENO)
            dup2(ends.first.number, STDERR_FILENO)
            let takes = JournalSink.takesStandardError
            dup2(saved, STDERR_FILENO)
            #expect(takes)
        }
    }

    @Test("writing to a missing journal is harmless")
    func noJournal() {
        JournalSink().write(LogRecord(level: .info, message: "pickerd's tests ran"))
    }
}
