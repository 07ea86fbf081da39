internal import MediaTypes
internal import SystemInterface

// The trash of the desktop, as the specification of freedesktop.org has it: a folder `files` with what was moved there,
// and a folder `info` with a text for each that says where it was. That of the home's file system is in the user's data
// folder; any other file system has its own, at its top. So a file never leaves its file system.
//
// All of this is for a thread that may wait for the disk.

/// A file that is about to be moved to the trash, by its path and its identity.
struct TrashedFile: Hashable, Sendable {
    let path: RawPath
    let device: UInt64
    let inode: UInt64
    /// In seconds since 1970.
    let time: Int64
}

/// Why a file is not found, or does not go back.
struct TrashError: Error, Hashable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

struct TrashCan: Sendable {
    /// How many of the names that GLib gives to files of one name are tried before all names are.
    static let likelyNames = 64
    /// The most files of a trash that are looked at.
    static let mostFiles = 100_000
    static let longestInfo = 65_536

    /// That of the home; nil if there is none.
    let home: RawPath?
    let user: UInt32

    init(_ environment: [String: String], user: UInt32 = CurrentProcess.uid) {
        self.user = user
        let data =
            environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 + "/.local/share" : nil }
        home = data.map { RawPath($0 + "/Trash") }
    }

    // MARK: To the trash

    func look(at path: RawPath, time: Int64) throws(TrashError) -> TrashedFile {
        do throws(SystemError) {
            let status = try FileStatus.of(path)
            return TrashedFile(
                path: path, device: status.device, inode: status.inode, time: time)
        } catch {
            throw TrashError("\(error)")
        }
    }

    /// Where a file is that was moved to the trash; nil if it is not found.
    func find(_ file: TrashedFile) -> RawPath? {
        let base = Self.lastComponent(of: file.path.bytes)
        for trash in folders(of: file) {
            guard
                let files = try? OwnedDescriptor.openFolder(
                    trash.appending("files"), followingLinks: false),
                let name = name(of: file, base, in: files, of: trash)
            else { continue }
            return trash.appending("files").appending(name)
        }
        return nil
    }

    /// The folders that may be its trash.
    private func folders(of file: TrashedFile) -> [RawPath] {
        var top = file.path.folder
        while top.bytes != [UInt8(ascii: "/")], device(of: top.folder) == file.device {
            top = top.folder
        }
        let others = [
            top.appending(".Trash").appending("\(user)"), top.appending(".Trash-\(user)"),
        ]
        return ([home].compactMap(\.self) + others).filter { device(of: $0) == file.device }
    }

    private func device(of path: RawPath) -> UInt64? { (try? FileStatus.of(path))?.device }

    private func name(
        of file: TrashedFile, _ base: [UInt8], in files: borrowing OwnedDescriptor,
        of trash: RawPath
    ) -> [UInt8]? {
        for number in 1...Self.likelyNames {
            let name = Self.name(base, number)
            if isFile(file, name, base, in: files, of: trash) { return name }
        }
        guard var reader = try? DirectoryReader(opening: trash.appending("files")) else {
            return nil
        }
        var names: [[UInt8]] = []
        while names.count < Self.mostFiles,
            (try? reader.readBatch { names.append($0.name) }) == true
        {}
        for name in names.prefix(Self.mostFiles)
        where isFile(file, name, base, in: files, of: trash) {
            return name
        }
        return nil
    }

    private func isFile(
        _ file: TrashedFile, _ name: [UInt8], _ base: [UInt8],
        in files: borrowing OwnedDescriptor, of trash: RawPath
    ) -> Bool {
        guard let status = try? FileStatus.of(name, in: files), status.inode == file.inode,
            status.device == file.device
        else { return false }
        if name == base { mendInfo(of: file, name, in: trash) }
        // Another name of the same file may be there, too.
        guard let origin = try? origin(of: name, in: trash) else { return false }
        return Self.lastComponent(of: origin) == base
    }

    /// Writes where a file was if that is not known: GLib leaves the text empty for a name of more than 238 bytes, as
    /// the name that it has while it is written would be too long.
    private func mendInfo(of file: TrashedFile, _ name: [UInt8], in trash: RawPath) {
        do throws(SystemError) {
            let folder = try OwnedDescriptor.openFolder(
                trash.appending("info"), followingLinks: false)
            let info = try folder.openFile(name + Array(TrashInfo.suffix.utf8))
            let status = try FileStatus.of(info)
            guard status.kind == .regular, status.size == 0 else { return }
            var path = file.path.bytes
            if trash != home {
                let isShared = trash.folder.lastComponent == ".Trash"
                let top = (isShared ? trash.folder.folder : trash.folder).appending([UInt8]())
                path = Array(path.dropFirst(top.bytes.count))
            }
            try info.write(TrashInfo.text(path: path, time: file.time), at: 0)
        } catch {
            // It is found by nobody then, and stays in the trash.
        }
    }

    /// The name that GLib gives to the file of that number with one name.
    static func name(_ base: [UInt8], _ number: Int) -> [UInt8] {
        if number == 1 { return base }
        let dot = base.firstIndex(of: UInt8(ascii: ".")) ?? base.endIndex
        return base[..<dot] + Array(".\(number)".utf8) + base[dot...]
    }

    // MARK: Back

    /// Puts a file back to where it was. It replaces none.
    /// - Returns: its path.
    func restore(_ uri: String, below roots: [[UInt8]]) throws(TrashError) -> RawPath {
        let (trash, name, top) = try place(of: uri)
        let origin: [UInt8]
        do throws(TrashError) {
            origin = try self.origin(of: name, in: trash)
        } catch {
            throw TrashError("'\(Self.shown(name))' does not go back: \(error)")
        }
        let path: [UInt8]
        if origin.first == Self.slash {
            path = origin
        } else if let top {
            path = top.appending(origin).bytes
        } else {
            throw TrashError(
                "'\(Self.shown(name))' was at '\(Self.shown(origin))', which is no absolute path")
        }
        let parts = path.split(separator: Self.slash, omittingEmptySubsequences: false).dropFirst()
        let isPlain = parts.allSatisfy { !$0.isEmpty && $0 != [0x2E] && $0 != [0x2E, 0x2E] }
        guard isPlain, let target = RawPath(bytes: path), Self.isBelow(path, roots) else {
            throw TrashError(
                "'\(Self.shown(path))' is in none of the daemon's folders: it stays in the trash")
        }
        try move(name, from: trash, to: target)
        return target
    }

    private func move(
        _ name: [UInt8], from trash: RawPath, to target: RawPath
    ) throws(TrashError) {
        do throws(SystemError) {
            let files = try OwnedDescriptor.openFolder(
                trash.appending("files"), followingLinks: false)
            guard try FileStatus.of(name, in: files).kind == .regular else {
                throw SystemError(
                    .invalidArgument, operation: "put back", subject: Self.shown(name))
            }
            let folder = try OwnedDescriptor.openFolder(target.folder)
            try files.moveFile(name, to: folder, as: Self.lastComponent(of: target.bytes))
        } catch {
            throw TrashError(
                error.code == .alreadyExists
                    ? "there is another file at '\(target)' by now: it stays in the trash"
                    : "'\(target)' stays in the trash: \(error)")
        }
        // Without its file it means nothing: a desktop removes it later if this fails.
        let info = try? OwnedDescriptor.openFolder(trash.appending("info"), followingLinks: false)
        try? info?.removeFile(name + Array(TrashInfo.suffix.utf8))
    }

    /// The trash, the name in it, and the top of its file system, unless it is that of the home.
    private func place(
        of uri: String
    ) throws(TrashError) -> (trash: RawPath, name: [UInt8], top: RawPath?) {
        let bytes: [UInt8]
        do throws(FileURIError) {
            bytes = try FileURI.path(of: Array(uri.utf8).span)
        } catch {
            throw TrashError("'\(uri.prefix(200))' is no URI of a file: \(error)")
        }
        let name = Self.lastComponent(of: bytes)
        let isName = !name.isEmpty && name != [0x2E] && name != [0x2E, 0x2E]
        if isName, let path = RawPath(bytes: bytes), path.folder.lastComponent == "files" {
            let trash = path.folder.folder
            if trash == home { return (trash, name, nil) }
            let user = "\(user)"
            if trash.lastComponent == ".Trash-\(user)" { return (trash, name, trash.folder) }
            if trash.lastComponent == user, trash.folder.lastComponent == ".Trash" {
                return (trash, name, trash.folder.folder)
            }
        }
        throw TrashError("'\(uri.prefix(200))' is not in the trash of this user")
    }

    private func origin(of name: [UInt8], in trash: RawPath) throws(TrashError) -> [UInt8] {
        let text: [UInt8]
        do throws(SystemError) {
            let folder = try OwnedDescriptor.openFolder(
                trash.appending("info"), followingLinks: false)
            let file = try folder.openToRead(name + Array(TrashInfo.suffix.utf8))
            let status = try FileStatus.of(file)
            guard status.kind == .regular, status.size <= Self.longestInfo else {
                throw SystemError(
                    .invalidArgument, operation: "read", subject: Self.shown(name))
            }
            var buffer = [UInt8](repeating: 0, count: Int(status.size))
            let count = try file.read(into: &buffer, at: 0)
            text = Array(buffer[..<count])
        } catch {
            throw TrashError("where it was is not known (\(error))")
        }
        guard let path = TrashInfo.path(in: text) else {
            throw TrashError("where it was can't be read")
        }
        return path
    }

    // MARK: Paths

    private static let slash = UInt8(ascii: "/")

    private static func isBelow(_ path: [UInt8], _ roots: [[UInt8]]) -> Bool {
        roots.contains { root in
            let folder = root.last == slash ? root : root + [slash]
            return path.count > folder.count && path.starts(with: folder)
        }
    }

    static func lastComponent(of path: [UInt8]) -> [UInt8] {
        Array(path[(path.lastIndex(of: slash).map { $0 + 1 } ?? 0)...])
    }

    private static func shown(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}

extension RawPath {
    /// The path of something in this folder.
    func appending(_ name: String) -> RawPath { appending(Array(name.utf8)) }

    func appending(_ name: [UInt8]) -> RawPath {
        let separator = bytes.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]
        // Both are parts of paths, and have no NUL.
        return RawPath(bytes: bytes + separator + name.filter { $0 != 0 }) ?? self
    }

    fileprivate var lastComponent: String {
        String(decoding: TrashCan.lastComponent(of: bytes), as: UTF8.self)
    }
}
