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
}

/// An open file of such a folder.
package protocol StorageFile: Sendable {
    func size() throws(SystemError) -> Int
    /// Reads from `offset` into the front of `buffer`; less than it holds only at the end.
    func read(into buffer: inout [UInt8], at offset: Int) throws(SystemError) -> Int
    /// Writes all of `bytes` at `offset`. After an error, some may be written.
    func write(_ bytes: [UInt8], at offset: Int) throws(SystemError)
    func truncate(to size: Int) throws(SystemError)
    /// Returns when what was written is on the disk.
    func synchronize() throws(SystemError)
}
