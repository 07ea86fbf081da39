import Glibc
import SystemInterface
import TestSupport
import Testing

@Suite("Owned descriptors, and transfers over them")
struct OwnedDescriptorTests {
    /// Far from the numbers of other tests that run at the same time.
    private func farDescriptor(_ distance: Int32) throws -> OwnedDescriptor {
        let file = try OwnedDescriptor.open(RawPath("/dev/null"), flags: O_RDWR)
        let number = endOfDescriptorNumbers - distance
        return OwnedDescriptor(adopting: fcntl(file.number, F_DUPFD_CLOEXEC, number))
    }

    @Test("a descriptor is closed in the deinit, and not before")
    func closes() throws {
        let number: Int32
        do {
            let descriptor = try farDescriptor(230)
            number = descriptor.number
            #expect(fcntl(number, F_GETFD) == FD_CLOEXEC)
        }
        #expect(fcntl(number, F_GETFD) == -1)
    }

    @Test("a released descriptor stays open")
    func releases() throws {
        let number = try farDescriptor(220).release()
        #expect(fcntl(number, F_GETFD) >= 0)
        #expect(close(number) == 0)
    }

    @Test("a box closes with its last reference")
    func box() throws {
        var box: DescriptorBox? = DescriptorBox(try farDescriptor(210))
        let number = try #require(box?.number)
        let other = box
        box = nil
        #expect(fcntl(number, F_GETFD) >= 0)
        #expect(other?.number == number)
    }

    @Test("errors have the operation and its subject")
    func errors() {
        let error = #expect(throws: SystemError.self) {
            _ = try OwnedDescriptor.open(RawPath("/nonexistent/x"), flags: O_RDONLY)
        }
        #expect(
            error?.description
                == "cannot open '/nonexistent/x': No such file or directory (ENOENT)")
        #expect(error?.code == .noSuchFile)
        #expect(ErrorNumber(rawValue: 9999).description == "unknown error 9999")
    }

    @Test("transfers return bytes, wouldBlock and closed")
    func transfer() throws {
        var pair: (first: DescriptorBox, second: DescriptorBox)? = try UnixSocket.pair().boxed()
        let ours = try #require(pair?.first)
        var buffer = [UInt8](repeating: 0, count: 4)
        #expect(try ours.descriptor.read(into: &buffer) == .wouldBlock)
        #expect(try pair?.second.descriptor.send([9, 1, 2, 3, 4, 5], from: 1) == .bytes(5))
        #expect(try ours.descriptor.read(into: &buffer) == .bytes(4))
        #expect(buffer == [1, 2, 3, 4])
        #expect(try ours.descriptor.read(into: &buffer) == .bytes(1))
        #expect(buffer == [5, 2, 3, 4])
        #expect(try ours.descriptor.send([]) == .bytes(0))
        pair = nil
        // Another test that starts a process may hold a copy of the other end for a moment.
        #expect(try waitUntil { try ours.descriptor.read(into: &buffer) == .closed })
        #expect(try ours.descriptor.send([1]) == .closed)
        #expect(try ours.descriptor.send(gathering: [[1]]) == .closed)
    }

    @Test("a send to a closed peer raises no signal")
    func noBrokenPipeSignal() async {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_DFL)
            var pair: (first: DescriptorBox, second: DescriptorBox)? = try UnixSocket.pair()
                .boxed()
            let ours = try #require(pair?.first)
            pair = nil
            #expect(try ours.descriptor.send([1]) == .closed)
            #expect(try ours.descriptor.send(gathering: [[1]]) == .closed)
        }
    }

    @Test("a full socket accepts a part, then would block")
    func fullSocket() throws {
        let ends = try UnixSocket.pair().boxed()
        let block = [UInt8](repeating: 7, count: 1 << 20)
        guard case .bytes(let sent) = try ends.first.descriptor.send(block) else {
            Issue.record("nothing was sent")
            return
        }
        #expect(sent > 0 && sent < block.count)
        #expect(try ends.first.descriptor.send(block, from: sent) == .wouldBlock)
        #expect(try ends.first.descriptor.send(gathering: [block]) == .wouldBlock)
    }

    @Test("gathered chunks arrive joined, from the requested start")
    func gathering() throws {
        let ends = try UnixSocket.pair().boxed()
        var buffer = [UInt8](repeating: 0, count: 100)
        #expect(
            try ends.first.descriptor.send(gathering: [[1, 2, 3], [], [4], [5, 6]], from: 2)
                == .bytes(4))
        #expect(try ends.second.descriptor.read(into: &buffer) == .bytes(4))
        #expect(buffer[..<4] == [3, 4, 5, 6])

        let many = (0..<40).map { [UInt8($0)] }
        #expect(
            try ends.first.descriptor.send(gathering: many)
                == .bytes(OwnedDescriptor.mostGatheredChunks))
        #expect(
            try ends.first.descriptor.send(gathering: many[30...]) == .bytes(10))
        #expect(try ends.first.descriptor.send(gathering: []) == .bytes(0))
    }

    @Test("facts about this process")
    func process() throws {
        #expect(CurrentProcess.pid == getpid())
        #expect(CurrentProcess.uid == getuid())
        let resident = try CurrentProcess.residentBytes()
        #expect(resident > 1 << 20 && resident < 1 << 36)
        #expect(CurrentProcess.environment("PICKERD_NO_SUCH_VARIABLE") == nil)
        #expect(CurrentProcess.environment("PATH")?.isEmpty == false)
    }

    @Test("paths are bytes")
    func paths() throws {
        #expect(RawPath(bytes: [97, 0, 98]) == nil)
        #expect(RawPath("a\u{0}b").bytes == [97])
        for (path, folder) in [
            ("/a/b", "/a"), ("/a/b/", "/a"), ("/a", "/"), ("/", "/"), ("b", "."), ("a//b", "a"),
        ] {
            #expect(RawPath(path).folder == RawPath(folder), "\(path)")
        }
    }
}
