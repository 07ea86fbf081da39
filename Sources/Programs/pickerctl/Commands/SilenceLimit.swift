import PickerClient
import SystemInterface

// A hanging daemon still accepts connections, because the kernel does it for its socket; a command would
// wait forever. The time of an answer shows nothing: a request may wait for a first scan or for a sync with
// a long limit, and later requests on the same connection wait, too. So a second connection pings the
// daemon regularly, and its answers decide.

/// Ends a connection whose daemon hangs.
final class SilenceLimit {
    /// In seconds, such as "2.5"; 0 means no limit.
    static let variable = "PICKERCTL_TIMEOUT"
    static let standardSeconds = 30.0
    /// The time is divided into this many steps: one without a ping, then a ping, and two without an
    /// answer. Because it takes two consecutive timers, a program that was stopped in between reads its
    /// input before it decides.
    private static let steps = 3.0

    private let seconds: Double
    private let path: String
    private weak var connection: PickerConnection?
    private var probe: PickerConnection?
    /// The steps since the unanswered ping, if there is one.
    private var stepsUnanswered: Int?

    private init(_ seconds: Double, _ path: String, _ connection: PickerConnection) {
        self.seconds = seconds
        self.path = path
        self.connection = connection
    }

    /// Monitors `connection` to the daemon at `path` as long as it exists.
    static func begin(on connection: PickerConnection, to path: String) throws(ClientError) {
        let seconds = try seconds(from: CurrentProcess.environment(variable))
        guard seconds > 0 else { return }
        SilenceLimit(seconds, path, connection).wait(on: connection.loop)
    }

    /// The value of the environment variable.
    private static func seconds(from text: String?) throws(ClientError) -> Double {
        guard let text, !text.isEmpty else { return standardSeconds }
        guard let seconds = Double(text), seconds >= 0, seconds <= 1e6 else {
            throw ClientError(
                .badArgument,
                "\(variable) is '\(text)': give seconds from 0, which is for ever, to 1000000")
        }
        return seconds
    }

    /// The loop retains the timer, which retains this object.
    private func wait(on loop: PollLoop) {
        loop.schedule(after: .seconds(seconds / Self.steps)) { self.step(on: loop) }
    }

    private func step(on loop: PollLoop) {
        guard let connection, connection.isOpen else { return letGo() }
        if let count = stepsUnanswered {
            if count + 1 >= 2 {
                letGo()
                return connection.close(because: failure)
            }
            stepsUnanswered = count + 1
        } else {
            ask(on: loop)
        }
        wait(on: loop)
    }

    private func ask(on loop: PollLoop) {
        stepsUnanswered = 0
        do throws(ClientError) {
            let probe = try PickerConnection(to: path, on: loop)
            self.probe = probe
            // The end of the second connection is an answer: the monitored connection will report the
            // cause.
            probe.send(.ping).then { [weak self] _ in self?.letGo() }
        } catch {
            // A missing daemon does not hang; a daemon that accepts no connection may.
            if error.code == .noDaemon { letGo() }
        }
    }

    private func letGo() {
        let probe = probe
        self.probe = nil
        stepsUnanswered = nil
        probe?.close()
    }

    private var failure: ClientError {
        let time = seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
        return ClientError(
            .timedOut,
            "what listens at \(path) takes connections and has not answered for \(time) s: "
                + "the daemon hangs, or it is another program")
    }
}
