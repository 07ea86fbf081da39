import JSONText
import PluginProcesses
import WireProtocol

/// Checks of the conversation itself, which every plugin has.
enum WireChecks {
    static var all: [PluginCheck] {
        [
            hello, refusal(of: 0), refusal(of: 99), unknownMembers, ping, twoAtOnce, byteByByte,
            longLine, unknownMethod, unknownNotification, cancelOfNothing, configure,
        ]
    }

    private static var hello: PluginCheck {
        PluginCheck("it answers plugin.hello as plugin.json says") {
            (trial) throws(NotPassed) in
            let plugin = try trial.start()
            defer { plugin.dismiss() }
            let answer = plugin.ask("plugin.hello", trial.greeting(), within: trial.patience)
            do throws(NotPassed) {
                let result = try trial.require(answer, "plugin.hello")
                do throws(GreetingFault) {
                    try Greeting.check(.success(JSONView(result)), of: trial.manifest)
                } catch {
                    throw .failed("\(error)")
                }
            } catch {
                trial.isGreeted = false
                throw error
            }
            trial.isGreeted = true
        }
    }

    /// A daemon of another version must learn that from an answer, not from an end.
    private static func refusal(of api: Int) -> PluginCheck {
        PluginCheck("it does not claim to speak version \(api) of the interface") {
            (trial) throws(NotPassed) in
            if trial.isGreeted == false { throw .skipped("it does not answer plugin.hello") }
            guard !trial.manifest.isCompatible(with: api) else {
                throw .skipped("plugin.json says that it speaks that version")
            }
            let plugin = try trial.start()
            defer { plugin.dismiss() }
            let answer = plugin.ask(
                "plugin.hello", trial.greeting(api: api), within: trial.patience)
            switch answer {
            case .refused: return
            case .result(let value):
                guard let spoken = value["api"]?.integerValue, spoken != Int64(api) else {
                    throw .failed(
                        PluginTrial.text(answer, "plugin.hello with api \(api)")
                            + "\nright is an error, or a result with the 'api' that it speaks")
                }
            case .silence, .ended:
                throw .failed(
                    PluginTrial.text(answer, "plugin.hello with api \(api)") + trial.said)
            }
        }
    }

    private static var unknownMembers: PluginCheck {
        PluginCheck("it ignores members that it does not know") {
            (trial) throws(NotPassed) in
            if trial.isGreeted == false { throw .skipped("it does not answer plugin.hello") }
            let plugin = try trial.start()
            defer { plugin.dismiss() }
            guard case .object(var params) = trial.greeting() else { return }
            params["later"] = ["a": [1, .null, "b"]]
            params["features"] = ["x"]
            let id = plugin.begin("plugin.hello", .object(params), ["later": ["c": true]])
            _ = try trial.require(
                plugin.answer(to: id, within: trial.patience), "plugin.hello with unknown members")
        }
    }

    private static var ping: PluginCheck {
        PluginCheck("it answers plugin.ping") { (trial) throws(NotPassed) in
            let plugin = try trial.serving()
            trial.isPinged = false
            _ = try trial.require(
                plugin.ask("plugin.ping", [:], within: trial.patience), "plugin.ping")
            trial.isPinged = true
        }
    }

    private static var twoAtOnce: PluginCheck {
        PluginCheck("two requests in one write are both answered") {
            (trial) throws(NotPassed) in
            let plugin = try trial.servingPings()
            let one = plugin.request("plugin.ping", [:])
            let other = plugin.request("plugin.ping", [:])
            plugin.sendAll([one.line, other.line])
            for (id, what) in [(one.id, "the first"), (other.id, "the second")] {
                _ = try trial.require(plugin.answer(to: id, within: trial.patience), what)
            }
        }
    }

    private static var byteByByte: PluginCheck {
        PluginCheck("a request that comes byte by byte is answered") {
            (trial) throws(NotPassed) in
            let plugin = try trial.servingPings()
            let (id, line) = plugin.request("plugin.ping", ["text": "ä€😀"])
            plugin.sendByBytes(line)
            _ = try trial.require(plugin.answer(to: id, within: trial.patience), "plugin.ping")
        }
    }

    private static var longLine: PluginCheck {
        PluginCheck("a request of 1 MiB is answered") {
            (trial) throws(NotPassed) in
            let plugin = try trial.servingPings()
            let head = plugin.request("plugin.ping", ["text": ""])
            let padding = LineFramer.standardLimit - head.line.count
            // In place of the empty text: the line ends with "}}.
            let line = Array(head.line.dropLast(3)) + [UInt8](repeating: 0x78, count: padding)
            plugin.send(line + Array("\"}}".utf8))
            _ = try trial.require(
                plugin.answer(to: head.id, within: trial.patience), "plugin.ping of 1 MiB")
        }
    }

    private static var unknownMethod: PluginCheck {
        PluginCheck("an unknown method is refused with -32601") {
            (trial) throws(NotPassed) in
            let plugin = try trial.serving()
            for method in ["\(trial.manifest.id).isNoMethodOfIt", "plugin.isNoMethod"] {
                let answer = plugin.ask(method, [:], within: trial.patience)
                guard case .refused(let error) = answer, error.kind == .methodNotFound else {
                    throw .failed(PluginTrial.text(answer, method) + trial.said)
                }
            }
        }
    }

    private static var unknownNotification: PluginCheck {
        PluginCheck("an unknown notification is ignored") {
            (trial) throws(NotPassed) in
            let plugin = try trial.servingPings()
            let before = trial.faults.count
            plugin.notify("$/isNoNotification", ["x": 1])
            _ = try trial.require(
                plugin.ask("plugin.ping", [:], within: trial.patience),
                "plugin.ping after a notification")
            if trial.faults.count > before {
                let fault = trial.faults[before]
                trial.forgetFaults(after: before)
                throw .failed("a notification is not answered: \(fault)")
            }
        }
    }

    private static var cancelOfNothing: PluginCheck {
        PluginCheck("$/cancel of what is over is ignored") {
            (trial) throws(NotPassed) in
            let plugin = try trial.servingPings()
            plugin.notify("$/cancel", ["id": 1])
            plugin.notify("$/cancel", ["id": 1_000_000])
            _ = try trial.require(
                plugin.ask("plugin.ping", [:], within: trial.patience), "plugin.ping after $/cancel"
            )
        }
    }

    private static var configure: PluginCheck {
        PluginCheck("it takes settings while it runs") {
            (trial) throws(NotPassed) in
            if let fault = trial.manifest.config?.fault(in: [:], called: "config") {
                throw .skipped("settings can't be empty: \(fault.message)")
            }
            let plugin = try trial.serving()
            _ = try trial.require(
                plugin.ask("plugin.configure", ["config": [:]], within: trial.patience),
                "plugin.configure")
        }
    }
}
