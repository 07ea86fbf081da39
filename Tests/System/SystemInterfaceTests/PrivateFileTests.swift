import Glibc
import SystemInterface
import TestSupport
import Testing

@Suite("Small private files")
struct PrivateFileTests {
    @Test("a file is replaced as a whole, for its owner alone, and nothing is left beside it")
    func replaces() throws {
        let folder = try TemporaryFolder()
        let path = folder.rawPath("f")
        #expect(try PrivateFile.contents(of: path, limit: 10) == nil)
        try PrivateFile.replace(path, with: Array("one".utf8))
        let before = try FileStatus.of(path)
        #expect(before.permissions == 0o600)
        try PrivateFile.replace(path, with: Array("2".utf8))
        #expect(try PrivateFile.contents(of: path, limit: 10) == Array("2".utf8))
        // Another file replaced it: the first one was not overwritten.
        #expect(try FileStatus.of(path).inode != before.inode)
        #expect(throws: SystemError.self) { try FileStatus.of(folder.rawPath("f.new")) }
    }

    @Test("a leftover .new file is overwritten, never through a link")
    func drafts() throws {
        let folder = try TemporaryFolder()
        try folder.write("f.new", "a draft that is longer")
        try PrivateFile.replace(folder.rawPath("f"), with: Array("x".utf8))
        #expect(try folder.contents(of: "f") == "x")
        try folder.write("precious", "p")
        try folder.makeLink("f.new", to: folder.path("precious"))
        #expect(throws: SystemError.self) {
            try PrivateFile.replace(folder.rawPath("f"), with: Array("y".utf8))
        }
        #expect(try folder.contents(of: "precious") == "p")
        #expect(try folder.contents(of: "f") == "x")
    }

    @Test("at most the limit plus one byte is read, to detect a longer file")
    func limits() throws {
        let folder = try TemporaryFolder()
        try folder.write("f", String(repeating: "x", count: 10_000))
        #expect(try PrivateFile.contents(of: folder.rawPath("f"), limit: 10)?.count == 11)
        #expect(try PrivateFile.contents(of: folder.rawPath("f"), limit: 9_999)?.count == 10_000)
        #expect(try PrivateFile.contents(of: folder.rawPath("f"), limit: 10_000)?.count == 10_000)
    }

    @Test("anything but a file is an error, and a pipe does not block")
    func others() throws {
        let folder = try TemporaryFolder()
        folder.makePipe("pipe")
        try folder.makeLink("loop", to: folder.path("loop"))
        for path in [folder.rawPath, folder.rawPath("pipe"), folder.rawPath("loop")] {
            #expect(throws: SystemError.self) { try PrivateFile.contents(of: path, limit: 10) }
        }
    }

    @Test("a lock has one holder at a time, and ends with its descriptor")
    func locks() throws {
        let folder = try TemporaryFolder()
        var first = try PrivateFile.lock(folder.rawPath("l"))
        #expect(first != nil)
        #expect(try PrivateFile.lock(folder.rawPath("l")) == nil)
        first = nil
        // A process started by another test holds a copy of it between its fork and its exec.
        #expect(try waitUntil { try PrivateFile.lock(folder.rawPath("l")) != nil })
        #expect(throws: SystemError.self) { try PrivateFile.lock(folder.rawPath("no/l")) }
    }

    @Test("folders are created with their ancestors, for their owner alone")
    func folders() throws {
        let folder = try TemporaryFolder()
        try OwnedDescriptor.makeFolders(folder.rawPath("a/b/c"))
        try OwnedDescriptor.makeFolders(folder.rawPath("a/b/c"))
        for name in ["a", "a/b", "a/b/c"] {
            let status = try FileStatus.of(folder.rawPath(name))
            #expect(status.kind == .directory && status.permissions == 0o700)
        }
        try folder.write("file")
        #expect(throws: SystemError.self) {
            try OwnedDescriptor.makeFolders(folder.rawPath("file/x"))
        }
    }

    @Test("a file in memory is read from its start", arguments: [0, 1, 300_000])
    func memory(_ count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let file = try OwnedDescriptor.inMemory(bytes, name: "test")
        var read: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case .bytes(let count) = try file.read(into: &buffer) { read += buffer[..<count] }
        #expect(read == bytes)
    }

    @Test("a child's end is its exit status or its signal, and nil while it runs")
    func ends() throws {
        let null = try OwnedDescriptor.open(RawPath("/dev/null"), flags: O_RDWR)
        func start(_ script: String) throws -> Int32 {
            try ChildProcess(RawPath("/bin/sh"), arguments: ["-c", script])
                .start(input: null.number, output: null.number, error: null.number)
        }
        let cases: [(String, ChildEnd)] = [
            ("exit 0", .exited(0)), ("exit 255", .exited(255)), ("kill -9 $$", .killed(9)),
        ]
        for (script, expected) in cases {
            let pid = try start(script)
            var end: ChildEnd?
            let hasEnded = try waitUntil {
                end = try ChildProcess.end(of: pid)
                return end != nil
            }
            #expect(hasEnded && end == expected)
            // It is reaped once.
            #expect(throws: SystemError.self) { _ = try ChildProcess.end(of: pid) }
        }
        let pid = try start("exec sleep 60")
        #expect(try ChildProcess.end(of: pid) == nil)
        ChildProcess.signal(SIGKILL, group: pid)
        #expect(try waitUntil { try ChildProcess.end(of: pid) == .killed(SIGKILL) })
    }

    @Test("the environment has all variables, with everything after the first equals sign")
    func environment() async {
        await #expect(processExitsWith: .success) {
            setEnvironment("PICKERD_TEST_A", "x=y\nz")
            setEnvironment("PICKERD_TEST_B", "")
            let variables = CurrentProcess.environment()
            guard variables["PICKERD_TEST_A"] == "x=y\nz", variables["PICKERD_TEST_B"] == "",
                variables["PATH"] == CurrentProcess.environment("PATH")
            else { exit(1) }
        }
    }
}
