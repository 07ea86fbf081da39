// A real folder: what a plain walk finds in it, and changes of it. Names are bytes.

import Glibc
import PickerModel
import TestSupport
import Testing

typealias Path = [UInt8]

/// A folder on disk. Paths are relative to it; the empty one is the folder itself.
struct RealFolder {
    let path: Path

    init(_ path: String) {
        self.path = Array(path.utf8)
    }

    var text: String { String(decoding: path, as: UTF8.self) }

    /// The absolute path as a C string.
    func whole(_ relative: Path) -> [CChar] {
        let bytes = relative.isEmpty ? path : path + [UInt8(ascii: "/")] + relative
        return (bytes + [0]).map { CChar(bitPattern: $0) }
    }

    func path(_ relative: String) -> String { "\(text)/\(relative)" }
}

// MARK: - Looking

extension RealFolder {
    struct File {
        let path: Path
        let size: UInt64
        let modified: PickerModel.FileTime
        let inode: UInt64
        let linkCount: Int
    }

    struct Contents {
        /// Regular files, in no order.
        var files: [File] = []
        /// With the folder itself, first.
        var folders: [Path] = []
    }

    /// All there is, by a plain recursive walk.
    func walk() -> Contents {
        var contents = Contents()
        var waiting: [Path] = [[]]
        while let folder = waiting.popLast() {
            contents.folders.append(folder)
            for name in names(in: folder) {
                let path = folder.isEmpty ? name : folder + [UInt8(ascii: "/")] + name
                var status = stat()
                // The path is a C string and the structure a local variable.
                guard unsafe lstat(whole(path), &status) == 0 else { continue }
                switch status.st_mode & S_IFMT {
                case S_IFDIR: waiting.append(path)
                case S_IFREG:
                    contents.files.append(
                        File(
                            path: path, size: UInt64(status.st_size),
                            modified: PickerModel.FileTime(
                                seconds: Int64(status.st_mtim.tv_sec),
                                nanoseconds: UInt32(status.st_mtim.tv_nsec)),
                            inode: UInt64(status.st_ino), linkCount: Int(status.st_nlink)))
                default: break
                }
            }
        }
        return contents
    }

    private func names(in folder: Path) -> [Path] {
        // The stream is open until the end, and each entry is read before the next is asked for.
        guard let stream = unsafe opendir(whole(folder)) else { return [] }
        defer { unsafe closedir(stream) }
        var names: [Path] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) {
                unsafe Array($0.prefix { $0 != 0 })
            }
            if name != Array(".".utf8), name != Array("..".utf8) { names.append(name) }
        }
        return names
    }
}

// MARK: - Changing

// Each path is a C string for the length of its call. A change that fails fails the test, unless
// it says that it may.
extension RealFolder {
    private func check(_ result: Int32, _ what: String, _ path: Path) {
        let code = errno
        if result < 0 {
            Issue.record("\(what) \(String(decoding: path, as: UTF8.self)): errno \(code)")
        }
    }

    func write(_ path: Path, _ count: Int = 0, flags: Int32 = O_TRUNC) {
        let file = unsafe open(whole(path), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0o644)
        check(file, "open", path)
        guard file >= 0 else { return }
        let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: count)
        #expect(unsafe Glibc.write(file, bytes, count) == count)
        closeWritten(file)
    }

    func write(_ name: String, _ count: Int = 0) { write(Array(name.utf8), count) }

    func append(_ path: Path, _ count: Int) { write(path, count, flags: O_APPEND) }

    func makeFolder(_ path: Path) {
        check(unsafe mkdir(whole(path), 0o755), "mkdir", path)
    }

    /// Makes a folder and those on the way to it.
    func makeFolders(_ path: Path) {
        let slash = UInt8(ascii: "/")
        for end in path.indices where path[end] == slash {
            _ = unsafe mkdir(whole(Path(path[..<end])), 0o755)
        }
        _ = unsafe mkdir(whole(path), 0o755)
    }

    func move(_ path: Path, _ target: Path) {
        check(unsafe rename(whole(path), whole(target)), "rename", path)
    }

    /// Moves to, or from, a place outside; both paths are absolute then.
    func move(outside path: String, _ target: String) {
        check(unsafe rename(path, target), "rename", Array(path.utf8))
    }

    func remove(_ path: Path) {
        check(unsafe unlink(whole(path)), "unlink", path)
    }

    func link(_ path: Path, _ target: Path) {
        check(unsafe Glibc.link(whole(path), whole(target)), "link", path)
    }

    func makeSymbolicLink(to target: String, _ path: Path) {
        check(unsafe symlink(target, whole(path)), "symlink", path)
    }

    func makePipe(_ path: Path) {
        check(unsafe mkfifo(whole(path), 0o644), "mkfifo", path)
    }

    func setMode(_ path: Path, _ mode: UInt32) {
        check(unsafe chmod(whole(path), mode), "chmod", path)
    }

    func setOwner(_ path: Path, _ owner: UInt32) {
        check(unsafe chown(whole(path), owner, owner), "chown", path)
    }

    func setModified(_ path: Path, _ seconds: Int, _ nanoseconds: Int) {
        let time = timespec(tv_sec: seconds, tv_nsec: nanoseconds)
        // The array has the two times that it reads.
        check(unsafe utimensat(AT_FDCWD, whole(path), [time, time], 0), "utimensat", path)
    }

    /// Removes a folder and all that is in it.
    func removeTree(_ folder: Path) {
        for name in names(in: folder) {
            let path = folder.isEmpty ? name : folder + [UInt8(ascii: "/")] + name
            if unsafe unlink(whole(path)) != 0 { removeTree(path) }
        }
        check(unsafe rmdir(whole(folder)), "rmdir", folder)
    }
}
