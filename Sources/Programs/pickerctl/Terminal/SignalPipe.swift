import Glibc
import PickerClient
import Synchronization
import SystemInterface

// Signals as bytes in a pipe, for a loop that waits for descriptors.
//
// A signal handler may do almost nothing; this one writes the signal's number into a non-blocking pipe. The
// program has one such pipe, because handlers have no other way to find it.

/// The write end; -1 before it exists.
private let signalPipeEnd = Atomic<Int32>(-1)

/// Delivers signals on a loop.
final class SignalPipe {
    private let reading: DescriptorBox
    private let writing: DescriptorBox
    private var watch: PollWatch?

    /// Calls `handler` on the loop for each of `signals`.
    init(
        _ signals: [Int32], on loop: PollLoop, _ handler: @escaping (Int32) -> Void
    ) throws(SystemError) {
        (reading, writing) = try UnixSocket.pair().boxed()
        signalPipeEnd.store(writing.number, ordering: .sequentiallyConsistent)
        watch = loop.watch(reading.number, for: .readable) { [weak self] _ in
            for signal in self?.taken() ?? [] { handler(signal) }
        }
        for number in signals where !Self.isIgnored(number) {
            Self.unblock(number)
            handle(number)
        }
    }

    /// Delivers a signal from now on; also one that was given its default in between.
    func handle(_ number: Int32) {
        signal(number) { number in
            let end = signalPipeEnd.load(ordering: .sequentiallyConsistent)
            var byte = UInt8(truncatingIfNeeded: number)
            let before = errno
            // One byte of a local variable. Losing it is harmless: a full pipe already wakes the loop.
            _ = unsafe write(end, &byte, 1)
            errno = before
        }
    }

    /// Whether the parent process ignores the signal: `nohup`, or a shell that started this program in the
    /// background.
    private static func isIgnored(_ number: Int32) -> Bool {
        guard number == SIGHUP || number == SIGINT else { return false }
        var action = sigaction()
        // The pointer is to a local variable that outlives the call.
        guard unsafe sigaction(number, nil, &action) == 0 else { return false }
        // Only compared, never called: as a number, SIG_IGN is 1.
        return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }

    /// A signal that the parent process blocked would never arrive.
    private static func unblock(_ number: Int32) {
        var set = sigset_t()
        // The pointers are to a local variable that outlives the calls.
        unsafe sigemptyset(&set)
        unsafe sigaddset(&set, number)
        unsafe sigprocmask(SIG_UNBLOCK, &set, nil)
    }

    private func taken() -> [Int32] {
        var buffer = [UInt8](repeating: 0, count: 256)
        guard case .bytes(let count)? = try? reading.descriptor.read(into: &buffer) else {
            return []
        }
        return buffer[..<count].map { Int32($0) }
    }

    /// Ends this process by the signal `number`, as if it were not handled.
    static func die(by number: Int32) {
        signal(number, SIG_DFL)
        _ = raise(number)
    }
}
