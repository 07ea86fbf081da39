internal import DirectoryWatching
internal import FileRules
internal import JSONText
internal import PickerModel
internal import SystemInterface
internal import WireProtocol

/// Why a path is a document or is not, as `documents.why` answers.
struct PathReason {
    private let finding: PathFinding

    init(_ finding: PathFinding) {
        self.finding = finding
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("isDocument", word == "document")
            writer.member("reason", word)
            writer.member("text", text)
            writer.member("at", String(decoding: finding.place, as: UTF8.self))
            if let root = finding.root {
                writer.member("root", String(decoding: root, as: UTF8.self))
            }
            if case .document(let document) = finding.outcome {
                writer.member("key", document.key)
            }
        }
    }

    /// One word for programs.
    private var word: String {
        switch finding.outcome {
        case .document: "document"
        case .outside: "outside"
        case .root: "root"
        case .rootMissing: "root-missing"
        case .absent: "absent"
        case .other(.directory): "folder"
        case .other(.symbolicLink): "link"
        case .other: "other"
        case .leftOut(let reason): reason.kind.rawValue
        case .tooDeep: "depth"
        case .unreadable: "unreadable"
        case .notYet: "not-yet"
        }
    }

    /// A sentence for people, without the path.
    private var text: String {
        switch finding.outcome {
        case .document(let document):
            document.isDropped
                ? "it is a document that was dropped: 'pickerctl restore' takes it into lists again"
                : "it is a document"
        case .outside: "it is below none of the folders that pickerd watches"
        case .root: "it is a folder that pickerd watches"
        case .rootMissing(let absence): absence.text
        case .absent: "there is no such file"
        case .other(.directory): "it is a folder; the files in it are documents"
        case .other(.symbolicLink): "it is a link, and links are not followed"
        case .other(.socket): "it is a socket, and only files with content are documents"
        case .other: "it is a pipe or a device, and only files with content are documents"
        case .leftOut(let reason): "\(reason)"
        case .tooDeep(let limit): "it is more than \(limit) folders below its root"
        case .unreadable(let code): "it can't be read: \(code)"
        case .notYet(let trouble?):
            "its folder is not watched, and was last read before it came: \(trouble.reason)"
        case .notYet(nil): "it is new, or its folder is being read: it will be a document soon"
        }
    }
}
