internal import Glibc
internal import SystemInterface
internal import WireProtocol

/// A client's request for a new file. It never replaces an existing one.
struct CreateRequest {
    /// The longest name that a Linux file system takes, in bytes.
    private static let longestName = 255

    let root: [UInt8]
    let name: String
    let content: [UInt8]

    /// `roots` are the folders being watched. A request without `root` uses the first of them.
    init(reading params: ParameterReader, roots: [[UInt8]]) throws(ProtocolError) {
        name = try params.string("name")
        content = Array((try params.optionalString("content") ?? "").utf8)
        if name.isEmpty || name == "." || name == ".." || name.utf8.contains(UInt8(ascii: "/"))
            || name.utf8.contains(0)
        {
            throw params.invalid(
                "name", mustBe: "a file's name: not empty, '.' or '..', and without '/' and NUL")
        }
        if name.utf8.count > Self.longestName {
            throw params.invalid("name", mustBe: "at most \(Self.longestName) bytes long")
        }
        guard let first = roots.first else {
            throw .notReady("no folder is served, so the file can't be made")
        }
        guard let wanted = try params.optionalString("root") else {
            root = first
            return
        }
        // A root that is not valid UTF-8 has the name that daemon.info gives it.
        let found = roots.first {
            String(decoding: $0, as: UTF8.self).utf8.elementsEqual(wanted.utf8)
        }
        guard let found else {
            let known = roots.map { "'\(String(decoding: $0, as: UTF8.self))'" }
            throw .outsideRoot(
                "\(ProtocolError.quoted(wanted)) is not one of the roots, which are "
                    + known.joined(separator: ", "))
        }
        root = found
    }

    /// Creates the file with its content in the root that `openRoot` opens. After an error there is no
    /// file.
    func makeFile(
        _ openRoot: ([UInt8]) throws(SystemError) -> DescriptorBox?
    ) throws(ProtocolError) {
        do throws(SystemError) {
            guard let opened = try openRoot(root) else {
                throw SystemError(.noSuchFile, operation: "open")
            }
            let file = try opened.descriptor.createFile(Array(name.utf8), mode: 0o666)
            do throws(SystemError) {
                try file.writeAll(content)
            } catch {
                try? opened.descriptor.removeFile(Array(name.utf8))
                throw error
            }
        } catch {
            throw answer(to: error)
        }
    }

    /// The answer if the file is not there any more.
    var isGone: ProtocolError {
        .noSuchItem("\(ProtocolError.quoted(name)) was made, but is already gone")
    }

    private func answer(to error: SystemError) -> ProtocolError {
        switch error.code {
        case .alreadyExists:
            .conflict("there is a \(ProtocolError.quoted(name)) already: choose another name")
        case .permissionDenied, .notPermitted:
            .permissionDenied(text(of: error))
        case ErrorNumber(rawValue: EROFS):
            .permissionDenied(
                text(of: error) + "; the systemd service may write only below the home: "
                    + "for a root elsewhere it needs ReadWritePaths=, see pickerd(1)")
        case .noSpace, ErrorNumber(rawValue: EDQUOT):
            .overloaded(
                retryAfterMs: 1000,
                "the disk is full, \(ProtocolError.quoted(name)) was not made: free space first")
        case .noSuchFile, .notADirectory:
            .notReady(
                "the root '\(String(decoding: root, as: UTF8.self))' is not there: it is waited for"
            )
        default:
            .internalError(text(of: error))
        }
    }

    /// Most errors name their file; an error of `write` does not.
    private func text(of error: SystemError) -> String {
        error.subject.isEmpty
            ? "\(ProtocolError.quoted(name)) can't be made: \(error)" : "\(error)"
    }
}
