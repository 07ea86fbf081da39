import JSONText
import PluginProcesses
import WireProtocol

/// Checks of the end of a process, and of what it sent and printed until then.
enum LifeChecks {
    static var all: [PluginCheck] { [lines, standardOutput, stop, endOfSocket, terminate] }

    /// How long a process may take to end.
    private static let endTime = Duration.seconds(2)

    private static var lines: PluginCheck {
        PluginCheck("each line that it sends is a request or an answer") {
            (trial) throws(NotPassed) in
            if trial.isGreeted == false, trial.faults.isEmpty {
                throw .skipped("it does not answer plugin.hello")
            }
            if !trial.faults.isEmpty { throw .failed(trial.faults.joined(separator: "\n")) }
        }
    }

    private static var standardOutput: PluginCheck {
        PluginCheck("it prints nothing on its standard output") {
            (trial) throws(NotPassed) in
            if !trial.stray.isEmpty {
                throw .failed(
                    "it printed there:\n" + trial.stray.joined(separator: "\n")
                        + "\nmessages are for descriptor 3, and what is for people is for the standard error"
                )
            }
        }
    }

    private static var stop: PluginCheck {
        PluginCheck("it answers plugin.stop, and ends within 2 s") {
            (trial) throws(NotPassed) in
            let plugin = try trial.startAndGreet()
            defer { plugin.dismiss() }
            _ = try trial.require(
                plugin.ask("plugin.stop", [:], within: trial.patience), "plugin.stop")
            if plugin.awaitEnd(endTime) == nil {
                throw .failed("2 s after plugin.stop it still runs")
            }
        }
    }

    private static var endOfSocket: PluginCheck {
        PluginCheck(
            "it ends within 2 s when its descriptor 3 is closed by the daemon"
        ) { (trial) throws(NotPassed) in
            let plugin = try trial.startAndGreet()
            defer { plugin.dismiss() }
            plugin.close()
            if plugin.awaitEnd(endTime) == nil {
                throw .failed("2 s after the end of its descriptor 3 it still runs")
            }
        }
    }

    private static var terminate: PluginCheck {
        PluginCheck("it ends within 2 s of SIGTERM") {
            (trial) throws(NotPassed) in
            let plugin = try trial.startAndGreet()
            defer { plugin.dismiss() }
            plugin.terminate()
            // The guard kills it after that time.
            switch plugin.awaitEnd(.seconds(10)) {
            case .killed(signal: 9): throw .failed("2 s after SIGTERM it still ran, and was killed")
            case nil: throw .failed("it still runs")
            default: return
            }
        }
    }
}
