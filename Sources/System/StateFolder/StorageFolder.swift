// What a store asks of the file system, in one place, so that tests can make it fail.
//
// Both are used by one thread at a time, though not always by the same.

package import SystemInterface

/// A folder that belongs to one store.
package protocol StorageFolder: Sendable {
    /// For messages.
    var path: String { get }
    /// The names of all that is in it, in no order.
    func names() throws(SystemError) -> [String]
    /// Opens a regular file for reading and writing; anything else is an error.
    func open(_ name: String) throws(SystemError) -> any StorageFile
    /// Makes a new file. Anything of that name is an error.
    func create(_ name: String) throws(SystemError) -> any StorageFile
    func rename(_ name: String, to new: String) throws(SystemError)
    func remove(_ name: String) throws(SystemError)
    /// Returns when the names are on the disk.
    func synchronize() throws(SystemError)
    /// Which file has that name now; nil if there is none.
    func identity(of name: String) throws(SystemError) -> FileIdentity?
    /// Whether this is still the folder that its path leads to, and nobody else can lock it.
    /// - Throws: `.misplaced` if it is not.
    func requireInPlace() throws(StorageError)
}

/// An open file of such a folder.
package protocol StorageFile: Sendable {
    /// Which file it is.
    var identity: FileIdentity { get }
    func size() throws(SystemError) -> Int
    /// Reads from `offset` into the front of `buffer`; less than it holds only at the end.
    func read(into buffer: inout [UInt8], at offset: Int) throws(SystemError) -> Int
    /// Writes all of `bytes` at `offset`. After an error, some may be written.
    func write(_ bytes: [UInt8], at offset: Int) throws(SystemError)
    func truncate(to size: Int) throws(SystemError)
    /// Returns when what was written is on the disk.
    func synchronize() throws(SystemError)
}

extension StorageFolder {
    /// Whether the file `name` is that one.
    /// - Throws: `.misplaced` if it is another, or none.
    package func requireInPlace(
        _ name: String, _ identity: FileIdentity
    ) throws(StorageError) {
        let shown = path + "/" + name
        let found: FileIdentity?
        do { found = try self.identity(of: name) } catch { throw .system(error.naming(shown)) }
        guard found == identity else { throw .misplaced(path: shown) }
    }
}
