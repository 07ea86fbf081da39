import JSONText
import SystemInterface
import WireProtocol

/// What was said in a check, to be said again: a line of JSON for each made file, and for each line of the wire, either
/// way.
///
/// A request of the check is kept with its answer; what the plugin asks, and the answer to it, as well. Notifications of
/// the plugin depend on time, and are left out. `@FILES@` stands for the folder of made files.
final class SessionRecord {
    static let placeholder = "@FILES@"
    /// What is longer is left out of a record.
    private static let longestLine = 64 << 10
    /// The most bytes of a record.
    static let mostBytes = 16 << 20

    private let folder: [UInt8]
    private var lines: [UInt8] = []
    private var isFull = false

    init(folder: RawPath) { self.folder = folder.bytes }

    /// The text of the record, with these files.
    func bytes(_ made: [(name: [UInt8], file: MadeFile)]) -> [UInt8] {
        made.flatMap { $0.file.json($0.name).bytes + [UInt8(ascii: "\n")] } + lines
    }

    /// Keeps what is said to a process and by it. `isPaused` leaves out what follows.
    var isPaused = false

    func follow(_ plugin: RunningPlugin, number: Int) {
        // Answers to requests that were left out are, too.
        var kept = Set<JSONValueKey>()
        plugin.onLine = { [unowned self] direction, line in
            guard line.count <= Self.longestLine, !isFull,
                let message = try? JSONValue(parsing: line), message.kind == .object
            else { return }
            let isRequest = message["method"] != nil
            guard let id = message["id"].flatMap(JSONValueKey.init) else { return }
            let isToPlugin = direction == .toPlugin
            let key = JSONValueKey(id, isOfPlugin: isToPlugin != isRequest)
            if isRequest {
                if isPaused { return }
                kept.insert(key)
            } else if kept.remove(key) == nil {
                return
            }
            add(number, isToPlugin, message)
        }
    }

    private func add(_ process: Int, _ isToPlugin: Bool, _ message: JSONValue) {
        let shared = FolderNames.replacing(folder, by: Array(Self.placeholder.utf8), in: message)
        let entry: JSONValue = [
            "process": JSONValue(process), "to": isToPlugin ? "plugin" : "daemon", "line": shared,
        ]
        let line = entry.bytes
        guard lines.count + line.count < Self.mostBytes / 2 else {
            isFull = true
            return
        }
        lines += line
        lines.append(UInt8(ascii: "\n"))
    }
}

/// The id of a request, and whose it is.
struct JSONValueKey: Hashable {
    private let text: String
    private var isOfPlugin = false

    init?(_ value: JSONValue) {
        guard value.integerValue != nil || value.stringValue != nil else { return nil }
        text = value.description
    }

    init(_ key: JSONValueKey, isOfPlugin: Bool) {
        self = key
        self.isOfPlugin = isOfPlugin
    }
}
