import JSONText
import PluginProcesses
import WireProtocol

/// Checks of the methods that a plugin has for clients. What a method does is for its plugin to know: none is called
/// that the user did not name.
enum MethodChecks {
    static func all(of manifest: ProcessManifest, _ calls: [MethodCallText]) -> [PluginCheck] {
        var checks: [PluginCheck] = []
        for method in manifest.methods {
            let own = calls.filter { $0.method == method.name }
            if own.isEmpty {
                checks.append(
                    .left(
                        "\(method.name) answers as plugin.json says",
                        "no call was given: --call '\(method.name) {…}'"))
            }
            checks += own.map { check(method, $0.params) }
        }
        for call in calls where !manifest.methods.contains(where: { $0.name == call.method }) {
            checks.append(
                PluginCheck("\(call.method) is a method of plugin.json") {
                    (_) throws(NotPassed) in
                    throw .failed("it is not there")
                })
        }
        if checks.isEmpty { checks = [.left("its methods answer", "it contributes no methods")] }
        return checks + [held]
    }

    private static func check(_ method: ProcessManifest.Method, _ params: JSONValue) -> PluginCheck
    {
        PluginCheck("\(method.name) answers as plugin.json says") { (trial) throws(NotPassed) in
            if let fault = method.params.fault(in: params) {
                throw .failed("the given parameters are not as plugin.json says: \(fault.message)")
            }
            let plugin = try trial.serving()
            let before = trial.calledMethods.count
            let answer = plugin.ask(method.name, params, within: trial.callTime)
            if case .refused(let error) = answer, trial.calledMethods.count > before {
                throw .skipped(
                    "it needs the daemon, for \(trial.calledMethods[before]): 'pickerctl plugin run' "
                        + "has one (\(error.message))")
            }
            let result = try trial.require(answer, method.name)
            if let fault = method.result.fault(in: result, called: "result") {
                throw .failed("the result is not as plugin.json says: \(fault.message)")
            }
        }
    }

    private static var held: PluginCheck {
        PluginCheck("it answers while it waits for its own call") {
            (trial) throws(NotPassed) in
            switch trial.heldCall {
            case .answered: return
            case .silent(let method):
                throw .failed(
                    "while it waits for the daemon's answer to \(method) it does not answer plugin.ping: "
                        + "if the daemon needs it for that answer, both wait for ever")
            case nil:
                throw .skipped("it called no method of the daemon while it handled a request")
            }
        }
    }
}
