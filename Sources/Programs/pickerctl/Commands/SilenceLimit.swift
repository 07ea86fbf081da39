import PickerClient
import SystemInterface

// A daemon that hangs accepts connections all the same, as the kernel does it for its socket; a command that
// waits for its answer would wait for ever. How long an answer takes says nothing, as one may have to wait
// for a first scan or for a sync with a long limit, and requests behind it on the same connection wait too.
// So another connection asks for a sign of life now and then, and what counts is whether that is answered.

/// Ends a connection whose daemon has hung.
final class SilenceLimit {
    /// In seconds, as "2.5"; 0 is for ever.
    static let variable = "PICKERCTL_TIMEOUT"
    static let standardSeconds = 30.0
    /// The time is in so many steps: nothing for one, then a question, and no answer for two. As it takes two
    /// timers in a row, a program that was stopped meanwhile has read what came before it decides.
    private static let steps = 3.0

    private let seconds: Double
    private let path: String
    private weak var connection: PickerConnection?
    private var probe: PickerConnection?
    /// How many steps ago the question was put, if it is not answered.
    private var stepsUnanswered: Int?

    private init(_ seconds: Double, _ path: String, _ connection: PickerConnection) {
        self.seconds = seconds
        self.path = path
        self.connection = connection
    }

    /// Watches over `connection`, to the daemon at `path`, for as long as it is there.
    static func begin(on connection: PickerConnection, to path: String) throws(ClientError) {
        let seconds = try seconds(from: CurrentProcess.environment(variable))
        guard seconds > 0 else { return }
        SilenceLimit(seconds, path, connection).wait(on: connection.loop)
    }

    /// What the variable says.
    private static func seconds(from text: String?) throws(ClientError) -> Double {
        guard let text, !text.isEmpty else { return standardSeconds }
        guard let seconds = Double(text), seconds >= 0, seconds <= 1e6 else {
            throw ClientError(
                .badArgument,
                "\(variable) is '\(text)': give seconds from 0, which is for ever, to 1000000")
        }
        return seconds
    }

    /// The loop holds the timer, and the timer this.
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
            // An end of that connection is an answer: whatever it means, the one watched over will tell.
            probe.request("daemon.ping").then { [weak self] _ in self?.letGo() }
        } catch {
            // Nobody there is no hung daemon; one that takes no connection may be one.
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
