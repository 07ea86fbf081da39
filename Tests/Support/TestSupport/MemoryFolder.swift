// A folder in memory, whose files a test can damage, and which can be full or broken.

package import StateFolder
import Synchronization
package import SystemInterface

/// A `StorageFolder` in memory. Its files can be copied to another one.
package final class MemoryFolder: StorageFolder {
    package struct State {
        package var files: [String: [UInt8]] = [:]
        /// The remaining space in bytes; nil for an unlimited disk.
        package var room: Int?
        /// The error of writes and synchronization.
        package var failure: ErrorNumber?
        /// Whether removals and truncations fail; for writes there is `failure`.
        package var keepsAll = false
        package var synchronizations = 0
        /// The names of files with unsynchronized content.
        package var unsynchronized: Set<String> = []
        /// The error of opens.
        package var unreadable: [String: ErrorNumber] = [:]
        /// The synchronized state: the contents by file, and the names. A renamed file keeps its original name
        /// here.
        var disk = Disk()
        /// The files that have been replaced since they were opened. (A copy of the files has the same.)
        package var replaced: Set<String> = []
        /// Whether another folder has this one's path.
        package var isMisplaced = false

        func identity(of name: String) -> FileIdentity {
            var number: UInt64 = replaced.contains(name) ? 1 : 0
            for byte in name.utf8 { number = number &* 31 &+ UInt64(byte) &* 2 }
            return FileIdentity(device: 1, inode: number)
        }
    }

    /// The state after a power failure.
    struct Disk {
        var contents: [String: [UInt8]] = [:]
        var names: Set<String> = []
    }

    package let path = "/memory"
    private let state: Mutex<State>

    package init(_ files: [String: [UInt8]] = [:]) {
        state = Mutex(State(files: files))
    }

    /// Reads or changes the state atomically.
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

    /// Synchronizes everything, without counting it as an operation of the store.
    package func bringToDisk() {
        change { $0.disk = Disk(contents: $0.files, names: Set($0.files.keys)) }
    }

    /// The worst state after a power failure: each file with a synchronized name has its synchronized content;
    /// unsynchronized removals are undone.
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
            // A full disk stores the part that fits.
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
