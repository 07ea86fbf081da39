package import StateFolder
internal import SystemInterface

/// A log of changes, which grows at its end. Small batches are written by its owner, which takes a few microseconds;
/// large ones by a thread.
package struct DocumentLog: Sendable {
    package let header: FileHeader
    private let file: any StorageFile
    /// The bytes written, or handed over to be written.
    package private(set) var length = 0

    /// Creates the log of a generation, with its header and a first batch.
    package init(
        _ header: FileHeader, in folder: any StorageFolder, _ numbers: Numbers, _ records: [UInt8]
    ) throws(StorageError) {
        let name = DocumentFiles.logName(header.generation)
        var header = header
        do throws(SystemError) {
            file = try folder.create(name)
            header.inode = file.identity.inode
            self.header = header
            let bytes = Frame.header(header).bytes + Frame.batch(numbers, records[...]).bytes
            do throws(SystemError) { try file.write(bytes, at: 0) } catch {
                // A part of it would be a damaged log.
                try? folder.remove(name)
                throw error
            }
            length = bytes.count
        } catch { throw .system(error.naming(folder.path + "/" + name)) }
    }

    /// Writes a batch at the end.
    ///
    /// After an error nothing is added: what a full disk has taken of it is cut off.
    package mutating func write(_ numbers: Numbers, _ records: [UInt8]) throws(StorageError) {
        let bytes = Frame.batch(numbers, records[...]).bytes
        try write(bytes, at: length)
        length += bytes.count
    }

    /// Takes room for a batch that a thread is to write. Nothing else may be written before it has been.
    package mutating func reserve(_ numbers: Numbers, _ records: [UInt8]) -> Append {
        let append = Append(
            log: self, bytes: Frame.batch(numbers, records[...]).bytes, offset: length)
        length += append.bytes.count
        return append
    }

    fileprivate func write(_ bytes: [UInt8], at offset: Int) throws(StorageError) {
        do throws(SystemError) { try file.write(bytes, at: offset) } catch {
            try? file.truncate(to: offset)
            throw .system(error.naming(DocumentFiles.logName(header.generation)))
        }
    }

    func synchronize() throws(StorageError) {
        do throws(SystemError) { try file.synchronize() } catch {
            throw .system(error.naming(DocumentFiles.logName(header.generation)))
        }
    }

    /// Bytes to be written by a thread.
    package struct Append: Sendable {
        fileprivate let log: DocumentLog
        fileprivate let bytes: [UInt8]
        fileprivate let offset: Int

        func perform() throws(StorageError) { try log.write(bytes, at: offset) }
    }
}
