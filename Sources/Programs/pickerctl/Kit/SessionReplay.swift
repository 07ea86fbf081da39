import JSONText
import PluginProcesses
import SystemInterface
import WireProtocol

/// Says to a plugin again what a record has, and compares what it answers.
///
/// The made files are made again, and are where `@FILES@` stands; `seen` is not compared, as they are others.
struct SessionReplay {
    private struct Entry {
        let isToPlugin: Bool
        let message: JSONValue

        var isRequest: Bool { message["method"] != nil }
    }

    /// The lines of each process, in the order of their starts.
    private let processes: [(number: Int, entries: [Entry])]
    private let made: [(name: [UInt8], file: MadeFile)]

    /// - Throws: if the text is no record, with the line.
    init(_ bytes: [UInt8], folder: RawPath) throws(CommandError) {
        var made: [(name: [UInt8], file: MadeFile)] = []
        var processes: [(number: Int, entries: [Entry])] = []
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        for (index, line) in lines.enumerated() {
            let value = try? JSONValue(parsing: Array(line))
            if let file = value.flatMap({ MadeFile.read($0) }) {
                made.append(file)
                continue
            }
            guard let value,
                let number = value["process"]?.integerValue.flatMap({ Int(exactly: $0) }),
                let to = value["to"]?.stringValue, let message = value["line"],
                message.kind == .object, ["plugin", "daemon"].contains(to)
            else {
                throw CommandError(
                    "line \(index + 1) of the record is none that 'pickerctl plugin check --record' writes"
                )
            }
            let entry = Entry(
                isToPlugin: to == "plugin",
                message: FolderNames.replacing(
                    Array(SessionRecord.placeholder.utf8), by: folder.bytes, in: message))
            if let place = processes.firstIndex(where: { $0.number == number }) {
                processes[place].entries.append(entry)
            } else {
                processes.append((number, [entry]))
            }
        }
        if processes.isEmpty { throw CommandError("the record has no lines") }
        self.processes = processes
        self.made = made
    }

    /// Makes the files that it is about.
    func make(in samples: SampleFiles) throws(SystemError) {
        for (name, file) in made { try samples.make(name, file) }
    }

    var checks: [PluginCheck] {
        processes.map { number, entries in
            let answers = entries.count { !$0.isToPlugin && !$0.isRequest }
            let name = "process \(number): its \(answers) answers are those of the record"
            return PluginCheck(name) { (trial) throws(NotPassed) in
                let plugin = try trial.start()
                defer { plugin.dismiss() }
                try replay(entries, plugin, trial)
            }
        }
    }

    private func replay(
        _ entries: [Entry], _ plugin: RunningPlugin, _ trial: PluginTrial
    ) throws(NotPassed) {
        var asked: [JSONValue] = []
        plugin.onRequest = { request, line in
            guard request.id != nil, let message = try? JSONValue(parsing: line) else { return }
            asked.append(message)
        }
        /// The numbers of requests in the record, and those that they have now.
        var numbers: [Int64: Int64] = [:]
        for entry in entries {
            let method = entry.message["method"]?.stringValue ?? ""
            switch (entry.isToPlugin, entry.isRequest) {
            case (true, true):
                guard let id = entry.message["id"]?.integerValue else { continue }
                numbers[id] = plugin.begin(method, entry.message["params"] ?? [:])
            case (true, false):
                plugin.send(entry.message.bytes)
            case (false, true):
                let limit = max(trial.patience, trial.callTime)
                trial.loop.run(within: limit) {
                    plugin.isOver || asked.contains { $0["method"]?.stringValue == method }
                }
                guard let place = asked.firstIndex(where: { $0["method"]?.stringValue == method })
                else { throw .failed("it does not ask \(method), which it did" + trial.said) }
                asked.remove(at: place)
            case (false, false):
                guard let id = entry.message["id"]?.integerValue, let now = numbers[id] else {
                    continue
                }
                try compare(entry.message, plugin, now, entries, trial)
            }
        }
    }

    private func compare(
        _ recorded: JSONValue, _ plugin: RunningPlugin, _ id: Int64, _ entries: [Entry],
        _ trial: PluginTrial
    ) throws(NotPassed) {
        let request = entries.first {
            $0.isToPlugin && $0.isRequest && $0.message["id"] == recorded["id"]
        }
        let what = request?.message["method"]?.stringValue ?? "a request"
        let answer = plugin.answer(to: id, within: max(trial.patience, trial.callTime))
        switch answer {
        case .result(let value):
            let right = recorded["result"].map(Self.withoutSeen)
            if right != Self.withoutSeen(value) { throw differs(what, recorded, value.description) }
        case .refused(let error):
            guard recorded["error"]?["code"]?.integerValue == Int64(error.code) else {
                throw differs(what, recorded, "the error: \(error)")
            }
        case .silence, .ended: throw .failed(PluginTrial.text(answer, what) + trial.said)
        }
    }

    private func differs(_ what: String, _ recorded: JSONValue, _ now: String) -> NotPassed {
        let before = (recorded["result"] ?? recorded["error"])?.description ?? "nothing"
        return .failed(
            "\(what) is answered with: \(now.prefix(1000))\nand was with: \(before.prefix(1000))")
    }

    private static func withoutSeen(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let elements): return .array(elements.map(withoutSeen))
        case .object(let object):
            var result = JSONObject()
            for member in object.members where member.key != "seen" {
                result[member.key] = withoutSeen(member.value)
            }
            return .object(result)
        default: return value
        }
    }
}
