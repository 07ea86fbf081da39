// The file system calls of a store, in one place, so that tests can make them fail.
//
// Both protocols are used by one thread at a time, but not always by the same one.

package import SystemInterface

/// A folder that belongs to one store.
package protocol StorageFolder: Sendable {
    /// For messages.
    var path: String { get }
    /// The names of all its entries, in no order.
    func names() throws(SystemError) -> [String]
    /// Opens a regular file for reading and writing; anything else is an error.
    func open(_ name: String) throws(SystemError) -> any StorageFile
    /// Creates a file. An existing name is an error.
    func create(_ name: String) throws(SystemError) -> any StorageFile
    func rename(_ name: String, to new: String) throws(SystemError)
    func remove(_ name: String) throws(SystemError)
    /// Returns when the names are on the disk.
    func synchronize() throws(SystemError)
    /// The identity of the file with that name; nil if there is none.
    func identity(of name: String) throws(SystemError) -> FileIdentity?
    /// Checks that the path still leads to this folder, and that nobody else can lock it.
    /// - Throws: `.misplaced` otherwise.
    func requireInPlace() throws(StorageError)
}

/// An open file of such a folder.
package protocol StorageFile: Sendable {
    /// The identity of the file.
    var identity: FileIdentity { get }
    func size() throws(SystemError) -> Int
    /// Reads from `offset` into the front of `buffer`; less than its size only at the end.
    func read(into buffer: inout [UInt8], at offset: Int) throws(SystemError) -> Int
    /// Writes all of `bytes` at `offset`. After an error, a part may be written.
    func write(_ bytes: [UInt8], at offset: Int) throws(SystemError)
    func truncate(to size: Int) throws(SystemError)
    /// Returns when the written data is on the disk.
    func synchronize() throws(SystemError)
}

extension StorageFolder {
    /// Checks that the file `name` has that identity.
    /// - Throws: `.misplaced` otherwise.
    package func requireInPlace(
        _ name: String, _ identity: FileIdentity
    ) throws(StorageError) {
        let shown = path + "/" + name
        let found: FileIdentity?
        do { found = try self.identity(of: name) } catch { throw .system(error.naming(shown)) }
        guard found == identity else { throw .misplaced(path: shown) }
    }
}
