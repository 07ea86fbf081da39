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
        case .link: "link"
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
        case .link(let link): Self.text(link)
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

    private static func text(_ link: LinkFinding) -> String {
        func quoted(_ path: [UInt8]) -> String { "'\(String(decoding: path, as: UTF8.self))'" }
        return switch link {
        case .ignored: "it is a link, and links are not followed"
        case .toNothing: "it is a link that leads nowhere"
        case .toFolder:
            "it is a link to a folder; only with the setting symlinks = \"follow\" it is followed"
        case .toOther: "it is a link to something that is no file"
        case .refused(.listed(let path)):
            "it is a link to a folder that is listed as \(quoted(path)), or left out there"
        case .refused(.around(let path)):
            "it is a link to a folder around another that is listed as \(quoted(path))"
        case .refused(.tooDeep(let limit)): "it lies behind \(limit) other links, which is the most"
        case .outOfReach(let limit):
            "it is a link to a folder that has no path here, or one of more than \(limit) links"
        case .notYet: "it is a link to a folder that will be read soon"
        }
    }
}
