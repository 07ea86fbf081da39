// A folder without a disk, whose files a test can spoil, and which can be full or broken.

package import StateFolder
import Synchronization
package import SystemInterface

/// A `StorageFolder` in memory. Copies of its files can be taken, and put into another.
package final class MemoryFolder: StorageFolder {
    package struct State {
        package var files: [String: [UInt8]] = [:]
        /// So many more bytes fit; nil for a disk without end.
        package var room: Int?
        /// What writing and bringing to the disk fails with.
        package var failure: ErrorNumber?
        /// Whether nothing can be removed or truncated; for what is written there is `failure`.
        package var keepsAll = false
        package var synchronizations = 0
        /// The names of files with something in them that was not brought to the disk.
        package var unsynchronized: Set<String> = []
        /// Opens to this error.
        package var unreadable: [String: ErrorNumber] = [:]
        /// What is on the disk: the contents as they were last brought there, by file, and the names that
        /// were brought there. A file that was renamed has the name of its making.
        var disk = Disk()
        /// The files that are others by now than those that were opened. (A copy of the files has the same.)
        package var replaced: Set<String> = []
        /// Whether another folder is at the path of this.
        package var isMisplaced = false

        func identity(of name: String) -> FileIdentity {
            var number: UInt64 = replaced.contains(name) ? 1 : 0
            for byte in name.utf8 { number = number &* 31 &+ UInt64(byte) &* 2 }
            return FileIdentity(device: 1, inode: number)
        }
    }

    /// What a loss of power leaves.
    struct Disk {
        var contents: [String: [UInt8]] = [:]
        var names: Set<String> = []
    }

    package let path = "/memory"
    private let state: Mutex<State>

    package init(_ files: [String: [UInt8]] = [:]) {
        state = Mutex(State(files: files))
    }

    /// Looks at the state, or changes it, in one go.
    @discardableResult
    package func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        state.withLock { body(&$0) }
    }

    package var files: [String: [UInt8]] {
        get { change { $0.files } }
        set { change { $0.files = newValue } }
    }

    /// The names of the segments, sorted.
    package var segments: [String] { files.keys.filter { $0.hasSuffix(".log") }.sorted() }

    package func names() throws(SystemError) -> [String] { Array(files.keys) }

    package func open(_ name: String) throws(SystemError) -> any StorageFile {
        let code: ErrorNumber? = change {
            $0.unreadable[name] ?? ($0.files[name] == nil ? .noSuchFile : nil)
        }
        if let code { throw SystemError(code, operation: "open", subject: name) }
        return MemoryFile(name, in: self)
    }

    package func create(_ name: String) throws(SystemError) -> any StorageFile {
        let isNew = change { state in
            if state.files[name] != nil { return false }
            state.disk.contents[name] = nil
            state.files[name] = []
            return true
        }
        guard isNew else { throw SystemError(.alreadyExists, operation: "make", subject: name) }
        return MemoryFile(name, in: self)
    }

    package func rename(_ name: String, to new: String) throws(SystemError) {
        change {
            $0.files[new] = $0.files.removeValue(forKey: name) ?? []
            $0.unreadable[name] = nil
        }
    }

    package func remove(_ name: String) throws(SystemError) {
        try requireRemovable()
        change { state in
            let freed = state.files.removeValue(forKey: name)?.count ?? 0
            if let room = state.room { state.room = room + freed }
        }
    }

    package func synchronize() throws(SystemError) {
        try fail()
        change { $0.disk.names = Set($0.files.keys) }
    }

    /// Brings all to the disk, and counts it as nothing that the store did.
    package func bringToDisk() {
        change { $0.disk = Disk(contents: $0.files, names: Set($0.files.keys)) }
    }

    /// What is left after a loss of power, at the worst: of each file that has its name on the disk, what
    /// was brought there; what was removed and not brought there is back.
    package var afterPowerLoss: [String: [UInt8]] {
        change { state in
            var files: [String: [UInt8]] = [:]
            for name in state.disk.names { files[name] = state.disk.contents[name] ?? [] }
            return files
        }
    }

    package func identity(of name: String) throws(SystemError) -> FileIdentity? {
        change { $0.files[name] == nil ? nil : $0.identity(of: name) }
    }

    package func requireInPlace() throws(StorageError) {
        if change({ $0.isMisplaced }) { throw .misplaced(path: path) }
    }

    fileprivate func requireRemovable() throws(SystemError) {
        guard change({ $0.keepsAll }) else { return }
        throw SystemError(.notPermitted, operation: "remove")
    }

    fileprivate func fail() throws(SystemError) {
        let failure = change { state in
            state.synchronizations += 1
            return state.failure
        }
        if let failure { throw SystemError(failure, operation: "write") }
    }
}

private struct MemoryFile: StorageFile {
    let name: String
    let folder: MemoryFolder
    let identity: FileIdentity

    init(_ name: String, in folder: MemoryFolder) {
        self.name = name
        self.folder = folder
        identity = folder.change { $0.identity(of: name) }
    }

    private var bytes: [UInt8] { folder.files[name] ?? [] }

    func size() throws(SystemError) -> Int { bytes.count }

    func read(into buffer: inout [UInt8], at offset: Int) throws(SystemError) -> Int {
        let found = bytes.dropFirst(offset).prefix(buffer.count)
        buffer.replaceSubrange(..<found.count, with: found)
        return found.count
    }

    func write(_ new: [UInt8], at offset: Int) throws(SystemError) {
        let name = name
        let failure: ErrorNumber? = folder.change { state in
            if let failure = state.failure { return failure }
            var bytes = state.files[name] ?? []
            let growth = max(offset + new.count - bytes.count, 0)
            let missing = state.room.map { max(growth - $0, 0) } ?? 0
            // A full disk takes the part that fits.
            let taken = new.prefix(new.count - missing)
            if bytes.count < offset + taken.count {
                bytes += [UInt8](repeating: 0, count: offset + taken.count - bytes.count)
            }
            bytes.replaceSubrange(offset..<(offset + taken.count), with: taken)
            state.files[name] = bytes
            state.unsynchronized.insert(name)
            if let room = state.room { state.room = max(room - growth, 0) }
            return missing > 0 ? .noSpace : nil
        }
        if let failure { throw SystemError(failure, operation: "write") }
    }

    func truncate(to size: Int) throws(SystemError) {
        try folder.requireRemovable()
        let name = name
        folder.change { state in
            let bytes = state.files[name] ?? []
            if let room = state.room { state.room = room + bytes.count - size }
            state.files[name] = Array(bytes.prefix(size))
        }
    }

    func synchronize() throws(SystemError) {
        try folder.fail()
        let name = name
        folder.change {
            $0.unsynchronized.remove(name)
            $0.disk.contents[name] = $0.files[name]
        }
    }
}
