// The socket's file and folder, as they are on disk.

import PickerClient
package import SystemInterface

/// The place where the daemon's socket is expected.
package struct SocketPlace: Hashable, Sendable {
    /// A file or folder on disk.
    package struct Entry: Hashable, Sendable {
        package let kind: FileKind
        package let owner: UInt32
        package let permissions: UInt32

        package init(kind: FileKind, owner: UInt32, permissions: UInt32) {
            self.kind = kind
            self.owner = owner
            self.permissions = permissions
        }
    }

    /// What was found at a path.
    package enum Finding: Hashable, Sendable {
        case entry(Entry)
        case nothing
        /// The reason why it can't be told.
        case unknown(String)
    }

    package let path: String
    package let origin: String
    package let socket: Finding
    package let folder: Finding

    package init(path: String, origin: String, socket: Finding, folder: Finding) {
        self.path = path
        self.origin = origin
        self.socket = socket
        self.folder = folder
    }

    /// Looks at the disk.
    package init(path: String, origin: String) {
        self.init(
            path: path, origin: origin, socket: Self.look(RawPath(path)),
            folder: Self.look(RawPath(path).folder))
    }

    private static func look(_ path: RawPath) -> Finding {
        do {
            let status = try FileStatus.of(path)
            return .entry(
                Entry(
                    kind: status.kind, owner: status.owner, permissions: status.permissions))
        } catch {
            return error.code == .noSuchFile ? .nothing : .unknown("\(error)")
        }
    }

    /// The folder of the socket.
    package var folderPath: String { RawPath(path).folder.description }

    /// What the socket's file and its folder say, for the user `own`. A daemon that listens owns a socket.
    package func checks(own: UInt32, isServed: Bool) -> [Check] {
        [socketCheck(own, isServed)] + folderChecks(own)
    }

    private func socketCheck(_ own: UInt32, _ isServed: Bool) -> Check {
        let place = "'\(path)', by \(origin)"
        if isServed { return Check("socket", .ok, place) }
        switch socket {
        case .nothing:
            return Check("socket", .note, "\(place): there is no such file")
        case .unknown(let reason):
            return Check("socket", .problem, "\(place): \(reason)")
        case .entry(let entry) where entry.kind != .socket:
            return Check(
                "socket", .problem, "\(place): the file there is not a socket",
                next: ["remove it if nothing needs it, or name another path with --socket"])
        case .entry(let entry) where entry.owner != own:
            return Check(
                "socket", .problem,
                "\(place): a socket of user \(entry.owner) is there, and you are user \(own)",
                next: ["run pickerctl as the user of the daemon, or name your own with --socket"])
        case .entry:
            return Check(
                "socket", .note,
                "\(place): your socket is there, and nobody listens; a new daemon replaces it")
        }
    }

    private func folderChecks(_ own: UInt32) -> [Check] {
        guard case .entry(let folder) = folder, folder.kind == .directory else { return [] }
        if folder.owner != own, folder.owner != 0, own != 0 {
            return [
                Check(
                    "folder", .problem,
                    "'\(folderPath)' belongs to user \(folder.owner), who could replace the socket",
                    next: [Self.remedy])
            ]
        }
        if folder.permissions & 0o022 != 0 {
            let mode = String(folder.permissions, radix: 8)
            return [
                Check(
                    "folder", .problem,
                    "others may write to '\(folderPath)' (its mode is \(mode)) and could replace the "
                        + "socket; pickerd makes none there",
                    next: ["take that from them by 'chmod go-w', or " + Self.remedy])
            ]
        }
        return []
    }

    private static let remedy = "use a folder of your own (made by 'mkdir -m 700 FOLDER')"
}

extension SocketPath.Origin {
    /// For people.
    package var text: String {
        switch self {
        case .explicit: "--socket"
        case .variable: "$PICKERD_SOCKET"
        case .runtimeFolder: "$XDG_RUNTIME_DIR"
        }
    }
}
