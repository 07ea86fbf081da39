internal import EventLoops
internal import JSONText
internal import WireProtocol

/// The calls that a process has not answered yet.
///
/// A call that is late or was cancelled stays for three seconds, for an answer that nobody gets any more; a process that
/// has not answered it by then is stuck.
struct CallsInFlight {
    struct Call {
        var due: MonotonicInstant
        /// The time that it had.
        let limit: Duration
        var isCancelled = false
        var progress: ((_ done: Int, _ total: Int) -> Void)?
        let deliver: (Result<JSONView, ProtocolError>) -> Void
    }

    enum Overdue {
        /// Its time is over. It was not cancelled before.
        case late(Int, Call)
        /// It was cancelled three seconds ago, and is not answered.
        case stuck(Int)
    }

    static let cancelTime = Duration.seconds(3)

    private var calls: [Int: Call] = [:]
    private var lastNumber = 0
    /// The call that is a ping.
    var ping: Int?

    /// Those whose answers somebody waits for.
    var wantedCount: Int { calls.values.count { !$0.isCancelled } }
    /// Whether it has anything but a ping to answer.
    var isEmptyButForPing: Bool { calls.count <= (isPinging ? 1 : 0) }
    var isPinging: Bool { ping.map { calls[$0] != nil } ?? false }

    mutating func newNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    mutating func begin(
        until due: MonotonicInstant, limit: Duration,
        progress: ((_ done: Int, _ total: Int) -> Void)? = nil,
        deliver: @escaping (Result<JSONView, ProtocolError>) -> Void
    ) -> Int {
        let number = newNumber()
        calls[number] = Call(due: due, limit: limit, progress: progress, deliver: deliver)
        return number
    }

    /// Passes on how much of a call the process says is done. Nobody is told of a cancelled one.
    func tell(_ number: Int, done: Int, of total: Int) {
        calls[number]?.progress?(done, total)
    }

    /// The call of that number, which is answered. Nobody gets the answer of a cancelled one.
    @discardableResult
    mutating func take(_ number: Int) -> Call? { calls.removeValue(forKey: number) }

    mutating func takeAll() -> [Call] {
        defer { calls = [:] }
        return calls.sorted { $0.key < $1.key }.map(\.value).filter { !$0.isCancelled }
    }

    /// - Returns: Whether the process is to be told: it has that call, and does not know yet.
    mutating func cancel(_ number: Int, at now: MonotonicInstant) -> Bool {
        guard let call = calls[number], !call.isCancelled else { return false }
        calls[number] = Call(
            due: now.advanced(by: Self.cancelTime), limit: call.limit, isCancelled: true,
            deliver: { _ in })
        return true
    }

    /// - Complexity: O(n); a process has a few calls at a time.
    var nextDeadline: MonotonicInstant? { calls.values.map(\.due).min() }

    mutating func takeOverdue(_ now: MonotonicInstant) -> [Overdue] {
        let numbers = calls.filter { $0.value.due <= now }.keys.sorted()
        return numbers.compactMap { number in
            guard let call = calls[number] else { return nil }
            if call.isCancelled {
                calls[number] = nil
                return .stuck(number)
            }
            _ = cancel(number, at: now)
            return .late(number, call)
        }
    }
}
