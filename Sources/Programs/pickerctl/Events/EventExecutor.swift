import Glibc
import PickerClient
import SystemInterface

// A command for each event, one at a time.
//
// A child is started in its own process group. When a signal (SIGCHLD) reports its end, it is reaped, and
// the event counts as handled, whatever its exit status. An event whose command can't be started is not
// handled; that ends the run.

/// Runs a command for each event.
final class EventExecutor: EventSink {
    var onHandled: ((EventPosition?) -> Void)?
    var onFailure: ((any Error) -> Void)?

    private let command: EventCommand
    private var running: (pid: Int32, event: PendingEvent)?

    init(_ command: EventCommand) { self.command = command }

    var isReady: Bool { running == nil }
    var isIdle: Bool { running == nil }

    func take(_ event: PendingEvent) {
        do {
            running = (try command.start(for: event.event), event)
        } catch {
            onFailure?(error)
        }
    }

    /// The running command gets the signal, too, and is waited for.
    func end(because signal: Int32) {
        if let running { ChildProcess.signal(signal, group: running.pid) }
    }

    /// Call this when a child may have ended.
    func collect() {
        guard let running else { return }
        do {
            guard let end = try ChildProcess.end(of: running.pid) else { return }
            self.running = nil
            complain(of: end, running.event.event)
            onHandled?(running.event.position)
        } catch {
            self.running = nil
            onFailure?(CommandError("\(error)"))
        }
    }

    private func complain(of end: ChildEnd, _ event: ReceivedEvent) {
        switch end {
        case .exited(0): return
        case .exited(let status):
            Program.complain("event \(event.seq): the command ended with exit status \(status)")
        case .killed(let signal):
            Program.complain("event \(event.seq): the command was ended by signal \(signal)")
        }
    }
}
