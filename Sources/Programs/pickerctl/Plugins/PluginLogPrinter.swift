import JSONText
import PickerClient
import TerminalCells
import WireProtocol

/// Prints what a plugin's processes have printed, and on request what they print from now on.
struct PluginLogPrinter {
    let follows: Bool
    /// One JSON object a line: number, time, text.
    let asJSON: Bool

    /// - Throws: what the daemon answers, or the end of the connection while it follows.
    func run(_ id: String, on connection: PickerConnection) throws {
        let parameters: JSONValue = ["id": .string(id), "follow": .bool(follows)]
        var failure: (any Error)?
        connection.onNotificationLine = { method, line in
            guard method == "plugins.logged", failure == nil else { return }
            do {
                let message = try JSONView(validating: Array(line)).value()
                try printLines(message["params"])
            } catch {
                failure = error
                connection.loop.stop()
            }
        }
        connection.onClose = { error in
            failure = failure ?? error
            connection.loop.stop()
        }
        let answer = connection.send(
            "plugins.log", RawJSON(JSONFragment(parameters)), as: connection.nextID())
        try printLines(try answer.wait().fragment.value())
        guard follows else { return }
        connection.loop.run { failure != nil }
        if let failure { throw failure }
    }

    private func printLines(_ object: JSONValue?) throws {
        if let lost = object?["lost"]?.integerValue, !asJSON {
            try Output.standard.writeLine("(\(lost) lines are no longer kept)")
        }
        for line in object?["lines"]?.arrayValue ?? [] {
            let text =
                asJSON ? line.description : VisibleText.escaping(line["text"]?.stringValue ?? "")
            try Output.standard.writeLine(text)
        }
        try Output.standard.flush()
    }
}
