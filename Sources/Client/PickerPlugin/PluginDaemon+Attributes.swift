internal import JSONText
internal import PickerClient
internal import SystemInterface
internal import WireProtocol

/// What is answered for a file.
private enum Answer {
    case values([(name: String, value: JSONValue)])
    case none
    case error(String)
    case retry
}

extension PluginDaemon {
    /// Answers `attributes.extract`.
    func extract(_ params: ParameterReader) throws -> JSONFragment {
        let name = params.view("group")?.stringValue
        guard let name, let group = parts.groups[name] else {
            throw unknown("group", "reads no group", name, of: parts.groups.keys, .invalidParams)
        }
        guard let list = params.view("files"), list.kind == .array,
            let files = try? list.elements()
        else { throw ReplyError(.invalidParams, "files must be an array", ["at": "files"]) }
        var wanted = manifest.groups[name] ?? []
        if let want = params.view("want"), want.kind == .array,
            let names = try? want.elements(), !names.isEmpty
        {
            wanted.formIntersection(names.compactMap(\.stringValue))
        }
        var answers = AnswerList(count: files.count)
        if wanted.isEmpty {
            for _ in files { answers.add(.none, nil) }
            return answers.finish()
        }
        switch group.reading {
        case .each(let read): try readEach(files, wanted, read, &answers)
        case .together(let read): try readTogether(files, wanted, read, &answers)
        }
        return answers.finish()
    }

    private func readEach(
        _ views: [JSONView], _ wanted: Set<String>,
        _ read: (DocumentFile, Set<String>) throws -> Attributes, _ answers: inout AnswerList
    ) throws {
        for view in views {
            try lookUp()
            var file: DocumentFile?
            let answer: Answer
            do {
                let opened = try DocumentFile(view, of: self)
                file = opened
                answer = try checked(try read(opened, wanted), wanted)
            } catch {
                answer = try failed(error)
            }
            file?.close()
            answers.add(answer, file)
        }
    }

    private func readTogether(
        _ views: [JSONView], _ wanted: Set<String>,
        _ read: ([DocumentFile], Set<String>, Group.Answering) throws -> Void,
        _ answers: inout AnswerList
    ) throws {
        var files: [DocumentFile?] = []
        var found: [Answer?] = []
        var places: [ObjectIdentifier: Int] = [:]
        for (place, view) in views.enumerated() {
            do {
                let file = try DocumentFile(view, of: self)
                files.append(file)
                found.append(nil)
                places[ObjectIdentifier(file)] = place
            } catch {
                files.append(nil)
                found.append(.error(said(error)))
            }
        }
        defer { for file in files { file?.close() } }
        var rest = Answer.none
        do {
            try read(files.compactMap { $0 }, wanted) { file, outcome in
                guard let place = places[ObjectIdentifier(file)] else {
                    throw PluginError(
                        "the reader answered for a file that it was not asked for")
                }
                do {
                    found[place] = try checked(try outcome.get(), wanted)
                } catch {
                    found[place] = try failed(error)
                }
                try lookUp()
            }
        } catch {
            rest = try failed(error)
        }
        for (file, answer) in zip(files, found) { answers.add(answer ?? rest, file) }
    }

    /// What is answered for a file, from what the reader returned.
    private func checked(
        _ attributes: Attributes, _ wanted: Set<String>
    ) throws(PluginError) -> Answer {
        guard case .values(let values) = attributes.outcome else { return .retry }
        var sent: [(name: String, value: JSONValue)] = []
        for (name, value) in values {
            guard let type = manifest.types[name] else {
                throw PluginError("'\(name.cut(to: 60))' is no attribute of the manifest")
            }
            if wanted.contains(name) { sent.append((name, try type.check(value, of: name))) }
        }
        return sent.isEmpty ? .none : .values(sent)
    }

    /// What is answered for a file after an error.
    /// - Throws: what ends the whole request.
    private func failed(_ error: any Error) throws -> Answer {
        guard let own = error as? PluginError else {
            show(error, of: "a file")
            return .error(said(error))
        }
        switch own.code {
        case .cancelled where running.last?.isCancelled == true: throw error
        case .ended, .broken: throw error
        case .retry, .timedOut: return .retry
        default: return own.number.map(\.isPassing) == true ? .retry : .error(said(error))
        }
    }
}

extension ErrorNumber {
    /// Whether it says nothing about the file, and may be gone the next time.
    fileprivate var isPassing: Bool {
        [
            .tooManyOpenFiles, .tooManyOpenFilesInSystem, .outOfMemory, .wouldBlock, .busy,
            .staleHandle,
        ].contains(self)
    }
}

/// The answers for the files of a request, in their order.
///
/// Files whose answers don't fit into a line are asked for again, in a shorter batch: the attributes of one file
/// always fit.
private struct AnswerList: ~Copyable {
    private var writer = JSONWriter(capacity: 4096)
    /// The files that are still to come.
    private var left: Int
    private var isFull = false

    /// What the rest of the line takes, and an answer that the file is to be asked for again.
    private static let around = 1000
    private static let ofRetry = 16

    init(count: Int) {
        left = count
        writer.beginObject()
        writer.key("files")
        writer.beginArray()
    }

    mutating func add(_ answer: Answer, _ file: DocumentFile?) {
        left -= 1
        let mark = writer.mark
        write(isFull ? .retry : answer, file?.seen)
        if !isFull, writer.count + Self.ofRetry * left + Self.around > Limits.line {
            isFull = true
            writer.rewind(to: mark)
            write(.retry, nil)
        }
    }

    private mutating func write(_ answer: Answer, _ seen: DocumentFile.Seen?) {
        writer.object { writer in
            switch answer {
            case .values(let values):
                writer.key("values")
                writer.object { writer in
                    for (name, value) in values {
                        writer.key(escaping: name)
                        writer.value(value)
                    }
                }
            case .none: writer.member("none", true)
            case .error(let text): writer.member("error", text)
            case .retry:
                writer.member("retry", true)
                return
            }
            guard let seen else { return }
            writer.key("seen")
            writer.array { writer in
                writer.integer(seen.inode)
                writer.integer(seen.size)
                writer.integer(seen.modified.seconds)
                writer.integer(Int64(seen.modified.nanoseconds))
            }
        }
    }

    consuming func finish() -> JSONFragment {
        writer.endArray()
        writer.endObject()
        return JSONFragment(sound: writer.bytes)
    }
}
