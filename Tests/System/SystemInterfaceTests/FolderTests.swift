import Glibc
import SystemInterface
import TestSupport
import Testing

@Suite("Folders and files")
struct FolderTests {
    /// All entries, by name; the number of batches too.
    private func readAll(
        _ reader: inout DirectoryReader
    ) throws -> (entries: [[UInt8]: DirectoryEntry], batches: Int) {
        var entries: [[UInt8]: DirectoryEntry] = [:]
        var batches = 0
        while try reader.readBatch({ entry in
            #expect(entries.updateValue(entry, forKey: entry.name) == nil)
        }) { batches += 1 }
        return (entries, batches)
    }

    /// Makes an empty file with any name.
    private func make(_ name: [UInt8], in folder: TemporaryFolder) throws {
        let path = try #require(folder.rawPath(name))
        _ = try OwnedDescriptor.open(path, flags: O_WRONLY | O_CREAT | O_EXCL)
    }

    @Test("every name is read as its bytes")
    func oddNames() throws {
        let folder = try TemporaryFolder()
        let names: [[UInt8]] = [
            Array("a\nb".utf8), [255, 254, 128], [UInt8](repeating: 120, count: 255),
            Array("été".utf8), [32], Array("...".utf8), Array(".hidden".utf8), [1], [127],
            Array("-rf".utf8), Array("\"\\".utf8),
        ]
        for name in names { try make(name, in: folder) }
        var reader = try DirectoryReader(opening: folder.rawPath)
        let entries = try readAll(&reader).entries
        #expect(Set(entries.keys) == Set(names))
        for name in names {
            let status = try FileStatus.of(name, in: reader.folder)
            #expect(status.kind == .regular)
        }
        #expect(try reader.readBatch { _ in } == false)
    }

    @Test("an empty folder has no entries")
    func empty() throws {
        let folder = try TemporaryFolder()
        var reader = try DirectoryReader(opening: folder.rawPath)
        #expect(try readAll(&reader).entries.isEmpty)
    }

    @Test("a big folder is read in several batches, completely")
    func big() throws {
        let folder = try TemporaryFolder()
        for number in 0..<3000 { try make(Array("file number \(number)".utf8), in: folder) }
        var reader = try DirectoryReader(opening: folder.rawPath)
        let all = try readAll(&reader)
        #expect(all.entries.count == 3000)
        #expect(all.batches > 2)
    }

    @Test("a batch has every entry with its status, in parts if there are many")
    func batches() throws {
        let folder = try TemporaryFolder()
        for number in 0..<3000 { try make(Array("file number \(number)".utf8), in: folder) }
        try make([255, 254, 128], in: folder)
        try folder.makeFolder("folder")
        try folder.makeLink("link", to: "nowhere")
        let opened = try OwnedDescriptor.openFolder(folder.rawPath)
        var reader = FolderBatchReader()
        var found: [[UInt8]: FolderBatch.Finding] = [:]
        var parts = 0
        var rest = FolderPart.Rest.more
        while rest == .more {
            let part = reader.read(opened, atLeast: 500)
            parts += 1
            rest = part.rest
            if rest == .more { #expect(part.batch.count >= 500 && part.batch.count < 1900) }
            for index in 0..<part.batch.count {
                let finding = part.batch.finding(index)
                let former = found.updateValue(finding, forKey: part.batch.name(index))
                #expect(former == nil && part.batch.nameSlice(index) == part.batch.name(index)[...])
            }
        }
        #expect(rest == .end && parts > 2 && found.count == 3003)
        #expect(found[Array("folder".utf8)] == .kind(.directory))
        #expect(found[Array("link".utf8)] == .kind(.symbolicLink))
        for (name, finding) in found {
            guard case .status(let status) = finding else { continue }
            #expect(try status == FileStatus.of(name, in: opened))
        }
        // At the end there is nothing more; of something else nothing can be read.
        #expect(reader.read(opened, atLeast: 500).rest == .end)
        let file = try OwnedDescriptor.open(
            try #require(folder.rawPath([255, 254, 128])), flags: O_RDONLY)
        #expect(reader.read(file, atLeast: 1).rest == .unreadable(.notADirectory))
    }

    @Test("a file of a folder costs no allocation")
    func batchCost() throws {
        let folder = try TemporaryFolder()
        for number in 0..<200 { try make(Array("file number \(number)".utf8), in: folder) }
        var reader = FolderBatchReader()
        func cost() throws -> Cost {
            let opened = try OwnedDescriptor.openFolder(folder.rawPath)
            return Cost.of { #expect(reader.read(opened, atLeast: 500).batch.count == 200) }
        }
        _ = try cost()
        #expect(try cost().allocations < 20)
    }

    @Test("kinds are distinguished, by entry and by status")
    func kinds() throws {
        let folder = try TemporaryFolder()
        try folder.write("file", "hello")
        try folder.makeFolder("folder")
        try folder.makeLink("link", to: "file")
        try folder.makeLink("dangling", to: "nowhere")
        folder.makePipe("pipe")
        let listener = try UnixSocket.listen(at: folder.rawPath("socket"))
        let expected: [(String, FileKind)] = [
            ("file", .regular), ("folder", .directory), ("link", .symbolicLink),
            ("dangling", .symbolicLink), ("pipe", .other), ("socket", .socket),
        ]
        var reader = try DirectoryReader(opening: folder.rawPath)
        let entries = try readAll(&reader).entries
        for (name, kind) in expected {
            let entry = try #require(entries[Array(name.utf8)])
            // nil is allowed if a file system does not report it.
            #expect(entry.kind == kind || entry.kind == nil, "\(name)")
            let status = try FileStatus.of(Array(name.utf8), in: reader.folder)
            #expect(status.kind == kind, "\(name)")
        }
        #expect(
            try FileStatus.of(Array("link".utf8), in: reader.folder, followingLinks: true).kind
                == .regular)
        let dangling = #expect(throws: SystemError.self) {
            try FileStatus.of(folder.rawPath("dangling"), followingLinks: true)
        }
        #expect(dangling?.code == .noSuchFile)
        _ = listener.number
    }

    @Test("a status has the size, times, identity and links of a file")
    func status() throws {
        let folder = try TemporaryFolder()
        try folder.write("file", "hello")
        try folder.makeHardLink("other", to: "file")
        folder.setModified("file", seconds: -3, nanoseconds: 999_999_999)
        let status = try FileStatus.of(folder.rawPath("file"))
        #expect(status.kind == .regular)
        #expect(status.size == 5)
        #expect(status.linkCount == 2)
        #expect(status.owner == getuid())
        #expect(status.modified == FileTime(seconds: -3, nanoseconds: 999_999_999))
        #expect(try FileStatus.of(folder.rawPath("other")) == status)
        var plain = stat()
        // The pointer is to a local variable that outlives the call.
        let found = unsafe stat(folder.path("file"), &plain)
        #expect(found == 0)
        #expect(status.inode == UInt64(plain.st_ino))
        #expect(status.device == UInt64(plain.st_dev))
        let opened = try OwnedDescriptor.open(folder.rawPath("file"), flags: O_RDONLY)
        #expect(try FileStatus.of(opened) == status)
        if let born = status.born { #expect(born.seconds > 1_600_000_000) }
    }

    @Test("a name with a NUL is refused, not truncated")
    func nulInName() throws {
        let folder = try TemporaryFolder()
        try folder.write("file")
        let opened = try OwnedDescriptor.openFolder(folder.rawPath)
        let name = Array("file\u{0}x".utf8)
        for attempt in [
            { (folder: borrowing OwnedDescriptor) in _ = try FileStatus.of(name, in: folder) },
            { (folder: borrowing OwnedDescriptor) in _ = try folder.openFolder(name) },
        ] as [(borrowing OwnedDescriptor) throws -> Void] {
            do {
                try attempt(opened)
                Issue.record("the name was taken")
            } catch { #expect((error as? SystemError)?.code == .invalidArgument) }
        }
    }

    @Test("a folder that is only found has the status of an opened one; no link is followed")
    func found() throws {
        let folder = try TemporaryFolder()
        try folder.makeFolder("a")
        try folder.write("a/file")
        try folder.makeLink("link", to: "a")
        let opened = try OwnedDescriptor.openFolder(folder.rawPath("a"))
        let found = try OwnedDescriptor.findFolder(folder.rawPath("a"))
        #expect(try FileStatus.of(found) == FileStatus.of(opened))
        let name = Array("file".utf8)
        #expect(try FileStatus.of(name, in: found) == FileStatus.of(name, in: opened))
        for other in ["link", "a/file"] {
            do {
                _ = try OwnedDescriptor.findFolder(folder.rawPath(other))
                Issue.record("'\(other)' was taken for a folder")
            } catch { #expect(error.code == .notADirectory) }
        }
    }

    @Test("inner folders are opened, but not through links")
    func nested() throws {
        let folder = try TemporaryFolder()
        try folder.makeFolder("a")
        try folder.write("a/file")
        try folder.makeLink("link", to: "a")
        let opened = try OwnedDescriptor.openFolder(folder.rawPath)
        var reader = DirectoryReader(try opened.openFolder(Array("a".utf8)))
        #expect(try Set(readAll(&reader).entries.keys) == [Array("file".utf8)])
        do {
            _ = try opened.openFolder(Array("link".utf8))
            Issue.record("the link was followed")
        } catch { #expect(error.code == .notADirectory) }
    }
}
