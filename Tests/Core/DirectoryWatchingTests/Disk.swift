// Changes to a real folder, with raw names on request.

import Glibc
import TestSupport
import Testing

/// Changes files below a folder. A failed change fails the test.
struct Disk {
    let path: String

    init(_ path: String) {
        self.path = path
    }

    var bytes: [UInt8] { Array(path.utf8) }

    private func whole(_ name: String) -> String { name.isEmpty ? path : "\(path)/\(name)" }

    private func check(_ result: Int32, _ what: String) {
        let code = errno
        #expect(result >= 0, "\(what) failed: \(code)")
    }

    // Each string is a C string for the length of its call.

    func makeFolder(_ name: String) {
        check(unsafe mkdir(whole(name), 0o755), "mkdir \(name)")
    }

    func makeFolders(_ names: String) {
        var made = ""
        for part in names.split(separator: "/") {
            made += made.isEmpty ? "\(part)" : "/\(part)"
            _ = unsafe mkdir(whole(made), 0o755)
        }
    }

    func write(_ name: String, _ text: String = "") {
        put(name, text, O_WRONLY | O_CREAT | O_TRUNC)
    }

    func append(_ name: String, _ text: String) {
        put(name, text, O_WRONLY | O_APPEND)
    }

    private func put(_ name: String, _ text: String, _ flags: Int32) {
        let descriptor = unsafe open(whole(name), flags | O_CLOEXEC, 0o644)
        check(descriptor, "open \(name)")
        if descriptor < 0 { return }
        var text = text
        let count = text.withUTF8 { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
        #expect(count == text.utf8.count)
        closeWritten(descriptor)
    }

    /// Opens a file for writing, empty or new, and keeps it open.
    func openForWriting(_ name: String) -> Int32 {
        let descriptor = unsafe open(whole(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        check(descriptor, "open \(name)")
        return descriptor
    }

    /// Opens a file for appending, and keeps it open.
    func openForAppending(_ name: String) -> Int32 {
        let descriptor = unsafe open(whole(name), O_WRONLY | O_APPEND | O_CLOEXEC)
        check(descriptor, "open \(name)")
        return descriptor
    }

    func move(_ name: String, _ target: String) {
        check(unsafe rename(whole(name), whole(target)), "rename \(name) \(target)")
    }

    func move(_ name: String, outTo target: String) {
        check(unsafe rename(whole(name), target), "rename \(name) \(target)")
    }

    func move(from source: String, _ name: String) {
        check(unsafe rename(source, whole(name)), "rename \(source) \(name)")
    }

    /// Writes another file and renames it over this one.
    func save(_ name: String, _ text: String) {
        write(name + ".tmp", text)
        move(name + ".tmp", name)
    }

    func remove(_ name: String) {
        check(unsafe unlink(whole(name)), "unlink \(name)")
    }

    func removeFolder(_ name: String) {
        check(unsafe rmdir(whole(name)), "rmdir \(name)")
    }

    func link(_ name: String, _ target: String) {
        check(unsafe Glibc.link(whole(name), whole(target)), "link \(name) \(target)")
    }

    func symlink(_ contents: String, _ name: String) {
        check(unsafe Glibc.symlink(contents, whole(name)), "symlink \(name)")
    }

    func makePipe(_ name: String) {
        check(unsafe mkfifo(whole(name), 0o644), "mkfifo \(name)")
    }

    func setMode(_ name: String, _ mode: UInt32) {
        check(unsafe chmod(whole(name), mode), "chmod \(name)")
    }

    func setModified(_ name: String, _ seconds: Int, _ nanoseconds: Int) {
        let time = timespec(tv_sec: seconds, tv_nsec: nanoseconds)
        let times = [time, time]
        check(unsafe utimensat(AT_FDCWD, whole(name), times, 0), "utimensat \(name)")
    }

    func exists(_ name: String) -> Bool {
        unsafe access(whole(name), F_OK) == 0
    }

    /// Creates an empty file with any bytes as its name.
    func write(rawName: [UInt8]) {
        let whole = (bytes + [47] + rawName + [0]).map { CChar(bitPattern: $0) }
        let descriptor = unsafe open(whole, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        check(descriptor, "open \(rawName)")
        if descriptor >= 0 { closeWritten(descriptor) }
    }

    func remove(rawName: [UInt8]) {
        let whole = (bytes + [47] + rawName + [0]).map { CChar(bitPattern: $0) }
        check(unsafe unlink(whole), "unlink \(rawName)")
    }

    /// Removes a folder and its contents, in the order of `rm -r`.
    func removeTree(_ name: String) {
        removeTree(at: whole(name))
    }

    private func removeTree(at folder: String) {
        guard let stream = unsafe opendir(folder) else { return }
        var names: [(name: String, isFolder: Bool)] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
            }
            if name == "." || name == ".." { continue }
            names.append((name, unsafe entry.pointee.d_type == UInt8(DT_DIR)))
        }
        unsafe closedir(stream)
        for (name, isFolder) in names {
            if isFolder {
                removeTree(at: "\(folder)/\(name)")
            } else {
                check(unsafe unlink("\(folder)/\(name)"), "unlink \(name)")
            }
        }
        check(unsafe rmdir(folder), "rmdir \(folder)")
    }
}
