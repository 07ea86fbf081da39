internal import DequeModule
internal import EventLoops
internal import JSONText
internal import PickerModel
internal import PluginInterface
internal import PluginProcesses
internal import SystemInterface
internal import WireProtocol

/// A group of attributes of a plugin: passes batches of files to its process, and reads what comes back.
///
/// Nothing that a process answers is trusted: values of another type than the manifest's, and of attributes that it has
/// not, are left out, and of several bad answers only the first is told.
final class HostedReader: AttributeReader {
    private typealias Work = (batch: ReadingBatch, answer: (ReadingOutcome) -> Void)

    /// The batches that a process has at once: while it reads one, the next one is on its way.
    static let batchesAtOnce = 2
    static let filesAtOnce = 64

    let group: String
    let mostFiles = HostedReader.filesAtOnce
    var whenReady: (() -> Void)?
    private unowned let plugin: HostedPlugin
    private let kinds: [String: Attribute.Kind]
    private var waiting = Deque<Work>()
    /// Batches of a process that has fallen, until it is known why.
    private var fallen: [Work] = []
    private var isTold = false

    init(_ group: String, _ attributes: [ProcessManifest.Attribute], of plugin: HostedPlugin) {
        self.group = group
        self.plugin = plugin
        kinds = Dictionary(
            attributes.map { ($0.name, Attribute.Kind($0.type)) },
            uniquingKeysWith: { one, _ in one })
    }

    var room: Int {
        switch plugin.life {
        case .ready, .starting, .waiting: Self.batchesAtOnce
        case .off, .backoff, .quarantined, .incompatible: 0
        }
    }

    func read(_ batch: ReadingBatch, _ answer: @escaping (ReadingOutcome) -> Void) {
        waiting.append((batch, answer))
        plugin.readerHasWork()
    }

    /// Whether the next batch must be read while no other is; nil if none waits.
    var isNextAlone: Bool? { waiting.first?.batch.isAlone }

    /// Sends the next batch to the process.
    func sendNext(to process: PluginProcess) {
        guard let work = waiting.popFirst() else { return }
        let limit = Duration.milliseconds(process.manifest.limits.callMs)
        process.batches.begin(isAlone: work.batch.isAlone)
        process.call("attributes.extract", within: limit, { Self.write(work.batch, to: &$0) }) {
            [weak self, weak process] answer in
            process?.batches.end()
            guard let self else { return work.answer(.ended(isFault: false)) }
            defer { if process != nil { plugin.sendNext() } }
            switch answer {
            case .success(let view): work.answer(outcome(view, work.batch))
            case .failure(let error):
                if process?.isEnding ?? true {
                    fallen.append(work)
                } else {
                    work.answer(.refused(error.message))
                }
            }
        }
    }

    private static func write(_ batch: ReadingBatch, to line: inout JSONWriter) {
        line.object { line in
            line.member("group", batch.group)
            line.member("want", batch.wanted)
            line.member("priority", batch.isUrgent ? 0 : batch.isBackground ? 2 : 1)
            line.member(array: "files") { line in
                for file in batch.files {
                    line.object { line in
                        line.member("key", file.key)
                        if let path = String(validating: file.path, as: UTF8.self) {
                            line.member("path", path)
                        } else {
                            line.member(base64: "pathB64", file.path)
                        }
                        line.member("type", file.type)
                        line.member("size", Int64(clamping: file.size))
                    }
                }
            }
        }
    }

    /// Answers what waits, and what a process had that has ended. `isFault` is whether it ended by itself.
    /// - Returns: whether there was any of the latter.
    @discardableResult
    func processEnded(isFault: Bool, keepsWaiting: Bool) -> Bool {
        let had = fallen
        fallen = []
        for work in had { work.answer(.ended(isFault: isFault)) }
        // What nobody asks for does not wait for another process.
        let left = keepsWaiting ? waiting.filter(\.batch.isBackground) : Array(waiting)
        waiting.removeAll { !keepsWaiting || $0.batch.isBackground }
        for work in left { work.answer(.ended(isFault: false)) }
        return !had.isEmpty
    }

    var hasWork: Bool { !waiting.isEmpty }
    var hasFallen: Bool { !fallen.isEmpty }

    // MARK: Answers

    private func outcome(_ view: JSONView, _ batch: ReadingBatch) -> ReadingOutcome {
        do throws(JSONError) {
            // Members are read where they are: a tree of all of them takes longer to make than to read.
            let files = try view.object()["files"]?.elements() ?? []
            guard files.count == batch.files.count else {
                return refuse(
                    "it answered for \(files.count) files, and was asked about \(batch.files.count)"
                )
            }
            var answers: [ReadingOutcome.Answer] = []
            answers.reserveCapacity(files.count)
            for (view, file) in zip(files, batch.files) {
                answers.append(try answer(view, file))
            }
            return .answers(answers)
        } catch {
            return refuse("its answer can't be read: \(error.message)")
        }
    }

    private func refuse(_ why: String) -> ReadingOutcome {
        tell(why)
        return .refused(why)
    }

    private func tell(_ why: String) {
        if isTold { return }
        isTold = true
        plugin.house.context.report(
            .warning,
            "the plugin '\(plugin.id)' does not answer attributes.extract as its manifest says: \(why)",
            fields: ["PICKERD_PLUGIN": plugin.id, "PICKERD_EVENT": "plugin-answer"])
    }

    private func answer(
        _ view: JSONView, _ file: ReadingBatch.File
    ) throws(JSONError) -> ReadingOutcome.Answer {
        guard view.kind == .object else {
            tell("what it answers for a file is no object")
            return .failed("no object")
        }
        let object = try view.object()
        if let error = object["error"]?.stringValue { return .failed(error) }
        if object["retry"]?.boolValue == true { return .later }
        let seen = try seen(object["seen"]) ?? look(at: file)
        if object["none"]?.boolValue == true { return .none(seen: seen) }
        guard let given = object["values"], given.kind == .object else {
            tell("what it answers for a file has neither 'values', 'none', 'error' nor 'retry'")
            return .failed("no values")
        }
        return .values(try values(given.object()), seen: seen)
    }

    private func values(_ given: JSONObjectView) -> [String: AttributeValue] {
        var values: [String: AttributeValue] = [:]
        for index in 0..<given.count {
            let name = given.key(at: index)
            guard let kind = kinds[name] else {
                tell("it has a value of \(ProtocolError.quoted(name)), which is not in the group")
                continue
            }
            let view = given.value(at: index)
            guard let value = AttributeValue(view, kind) else {
                if !view.isNull { tell("a value of '\(name)' is no \(kind.rawValue)") }
                continue
            }
            values[name] = value
        }
        return values
    }

    private func seen(_ view: JSONView?) throws(JSONError) -> ReadingOutcome.Seen? {
        guard let view, view.kind == .array else { return nil }
        let parts = try view.elements()
        guard parts.count == 4, let inode = parts[0].unsigned, let size = parts[1].unsigned,
            let seconds = parts[2].integerValue, let rest = parts[3].integerValue,
            (0..<1_000_000_000).contains(rest)
        else { return nil }
        return ReadingOutcome.Seen(
            inode: inode, size: size,
            modified: PickerModel.FileTime(seconds: seconds, nanoseconds: UInt32(rest)))
    }

    /// What is at the path now, of a file of which the plugin does not say what it has opened.
    private func look(at file: ReadingBatch.File) -> ReadingOutcome.Seen? {
        guard let path = RawPath(bytes: file.path),
            let status = try? FileStatus.of(path, followingLinks: true)
        else { return nil }
        return ReadingOutcome.Seen(
            inode: status.inode, size: status.size,
            modified: PickerModel.FileTime(
                seconds: status.modified.seconds, nanoseconds: status.modified.nanoseconds))
    }
}

extension JSONView {
    fileprivate var unsigned: UInt64? {
        if let integer = integerValue { return UInt64(exactly: integer) }
        guard kind == .number, let value = try? value(), case .number(let number) = value else {
            return nil
        }
        return number.unsignedValue
    }
}

extension AttributeValue {
    /// A value that a plugin has sent; nil if it is of another kind, or too long.
    init?(_ value: JSONView, _ kind: Attribute.Kind) {
        switch kind {
        case .boolean:
            guard let value = value.boolValue else { return nil }
            self = .boolean(value)
        case .integer:
            guard let value = value.integerValue else { return nil }
            self = .integer(value)
        case .number, .time:
            guard let value = value.doubleValue, value.isFinite else { return nil }
            self = kind == .time ? .time(value) : .number(value)
        case .text:
            guard let value = value.stringValue, value.utf8.count <= Self.longestText else {
                return nil
            }
            self = .text(value)
        }
    }
}

extension Attribute.Kind {
    init(_ type: ProcessManifest.AttributeType) {
        switch type {
        case .boolean: self = .boolean
        case .integer: self = .integer
        case .number: self = .number
        case .time: self = .time
        case .text: self = .text
        }
    }
}
