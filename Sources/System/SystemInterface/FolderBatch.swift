// Entries of a folder in two arrays, so that none costs an allocation.
//
// A worker thread reads folders by `FolderBatchReader`, with the status of each file, and passes the batches on. The
// statuses are as old as the batch: who uses them must know what has happened since.

import CLinux

/// Some entries of a folder, in the order of the file system.
package struct FolderBatch: Sendable {
    /// What was read of an entry besides its name.
    package enum Finding: Hashable, Sendable {
        /// Its kind as the folder has it; `nil` if the file system does not report it. The status was not read.
        case kind(FileKind?)
        case status(FileStatus)
        /// The status could not be read.
        case failed(ErrorNumber)
    }

    private struct Entry {
        /// Where its name ends, and the next one begins.
        let nameEnd: UInt32
        let finding: Finding
    }

    private var names: [UInt8] = []
    private var entries: [Entry] = []

    package init() {}

    package var count: Int { entries.count }
    package var isEmpty: Bool { entries.isEmpty }
    /// The bytes of all names.
    package var nameBytes: Int { names.count }

    /// The raw name of an entry: any bytes except NUL and "/".
    /// - Complexity: O(n) in its length, one allocation.
    package func name(_ index: Int) -> [UInt8] { Array(nameSlice(index)) }

    /// The same without a copy.
    package func nameSlice(_ index: Int) -> ArraySlice<UInt8> {
        let start = index == 0 ? 0 : Int(entries[index - 1].nameEnd)
        return names[start..<Int(entries[index].nameEnd)]
    }

    package func finding(_ index: Int) -> Finding { entries[index].finding }

    /// The status of an entry, if it was read.
    package func status(_ index: Int) -> FileStatus? {
        if case .status(let status) = entries[index].finding { status } else { nil }
    }

    /// Appends an entry.
    package mutating func append(_ name: ArraySlice<UInt8>, _ finding: Finding) {
        names.append(contentsOf: name)
        entries.append(Entry(nameEnd: UInt32(names.count), finding: finding))
    }

    /// Removes all entries and keeps the memory.
    package mutating func removeAll() {
        names.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
    }

    /// Reserves memory for entries with names of about 20 bytes.
    fileprivate mutating func reserve(_ count: Int) {
        names.reserveCapacity(count * 20)
        entries.reserveCapacity(count)
    }
}

/// A part of a folder, and what is left of it.
package struct FolderPart: Sendable {
    package enum Rest: Hashable, Sendable {
        /// The folder may have more entries.
        case more
        case end
        /// The folder could not be read any further.
        case unreadable(ErrorNumber)
    }

    package var batch: FolderBatch
    package var rest: Rest

    package init(_ batch: FolderBatch, rest: Rest) {
        self.batch = batch
        self.rest = rest
    }
}

/// Reads folders with the statuses of their files, into one buffer for all. For worker threads.
package struct FolderBatchReader: ~Copyable {
    private var records = DirectoryRecords()
    /// The size of the last batch: folders of one tree are often alike.
    private var lastCount = 16

    package init() {}

    /// Reads on from the folder's position until there are `count` entries, and then to the end of the buffer, which
    /// has at most 1,365 more. A part with more to come has entries.
    ///
    /// Files, and entries of unknown kind, come with their status, or with the reason why they have none.
    /// - Parameters:
    ///   - folder: open.
    ///   - count: the entries to read before the last buffer.
    ///   - isLeftOut: says which entries are not wanted: their statuses are not read. An entry whose kind the folder
    ///     does not tell is asked for when its status has been read.
    /// - Returns: the entries, and what is left of the folder.
    /// - Complexity: O(entries), one system call for each file and for each 32 KiB of entries; three allocations if
    ///   the folder is about as large as the last one.
    package mutating func read(
        _ folder: borrowing OwnedDescriptor, atLeast count: Int,
        leavingOut isLeftOut: ((ArraySlice<UInt8>, FileKind) -> Bool)? = nil
    ) -> FolderPart {
        var batch = FolderBatch()
        batch.reserve(lastCount)
        defer { lastCount = max(16, batch.count) }
        do throws(SystemError) {
            repeat {
                guard try records.fill(from: folder) else {
                    return FolderPart(batch, rest: .end)
                }
                while let record = try records.next() {
                    let name = records.name(of: record)
                    guard let isLeftOut else {
                        batch.append(name, finding(record, folder))
                        continue
                    }
                    if let kind = record.kind, isLeftOut(name, kind) { continue }
                    let finding = finding(record, folder)
                    if record.kind == nil, case .status(let status) = finding,
                        isLeftOut(name, status.kind)
                    {
                        continue
                    }
                    batch.append(name, finding)
                }
            } while batch.count < max(1, count)
        } catch {
            return FolderPart(batch, rest: .unreadable(error.code))
        }
        return FolderPart(batch, rest: .more)
    }

    private func finding(
        _ record: DirectoryRecords.Record, _ folder: borrowing OwnedDescriptor
    ) -> FolderBatch.Finding {
        switch record.kind {
        case .regular, nil:
            switch records.status(of: record, in: folder) {
            case .success(let status): .status(status)
            case .failure(let code): .failed(code)
            }
        case .directory, .symbolicLink, .socket, .other: .kind(record.kind)
        }
    }
}
