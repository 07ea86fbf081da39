import Glibc
import SystemInterface
import TestSupport
import Testing

@Suite("File changes")
struct InotifyTests {
    private func drain(_ inotify: inout Inotify) throws -> [InotifyEvent] {
        var events: [InotifyEvent] = []
        while try inotify.readEvents({ events.append($0) }) {}
        return events
    }

    /// Creates an empty file that nobody has open any more.
    private func make(_ path: RawPath) throws {
        let copy: Int32
        do {
            let file = try OwnedDescriptor.open(path, flags: O_WRONLY | O_CREAT)
            copy = fcntl(file.number, F_DUPFD_CLOEXEC, 0)
        }
        closeWritten(copy)
    }

    private let all: InotifyMask = [
        .created, .deleted, .movedFrom, .movedTo, .closedAfterWriting, .attributes, .selfDeleted,
        .selfMoved,
    ]

    @Test("creating, moving and deleting give events with names and cookies")
    func changes() throws {
        let folder = try TemporaryFolder()
        var inotify = try Inotify()
        let watch = try inotify.add(folder.rawPath, all)
        #expect(try drain(&inotify).isEmpty)

        let odd = try #require(folder.rawPath([255, 10]))
        try make(odd)
        try folder.makeFolder("sub")
        try folder.move("sub", to: "moved")
        try folder.remove("moved")
        let events = try drain(&inotify)
        #expect(events.allSatisfy { $0.watch == watch })
        #expect(
            events.map(\.mask) == [
                .created, .closedAfterWriting, [.created, .isDirectory],
                [.movedFrom, .isDirectory], [.movedTo, .isDirectory], [.deleted, .isDirectory],
            ])
        #expect(
            events.map(\.name) == [
                [255, 10], [255, 10], Array("sub".utf8), Array("sub".utf8), Array("moved".utf8),
                Array("moved".utf8),
            ])
        try #require(events.count == 6)
        #expect(events[3].cookie != 0 && events[3].cookie == events[4].cookie)
    }

    @Test("names of every length are read completely, over several reads")
    func lengths() throws {
        let folder = try TemporaryFolder()
        var inotify = try Inotify()
        _ = try inotify.add(folder.rawPath, .created)
        let names = (1...255).map { [UInt8](repeating: 97, count: $0) }
        for name in names {
            let path = try #require(folder.rawPath(name))
            try make(path)
        }
        #expect(try drain(&inotify).map(\.name) == names)
    }

    @Test("a read that leaves room for any event tells that no other waits; a full one does not")
    func lastRead() throws {
        let count = 100
        let folder = try TemporaryFolder()
        var inotify = try Inotify()
        _ = try inotify.add(folder.rawPath, .created)
        try folder.write("one")
        var names = 0
        let isMoreThanOne = try inotify.readEvents { _ in names += 1 }
        #expect(!isMoreThanOne && names == 1)
        // Together they take more than the buffer has.
        let long = String(repeating: "n", count: 200)
        for number in 0..<count { try folder.write(long + "\(number)") }
        names = 0
        let isMore = try inotify.readEvents { _ in names += 1 }
        #expect(isMore && names < count)
        names += try drain(&inotify).count
        #expect(names == count)
    }

    @Test("gathered events are read first, in order, and make room in the kernel's queue")
    func gathering() throws {
        let folder = try TemporaryFolder()
        var inotify = try Inotify()
        _ = try inotify.add(folder.rawPath, [.created, .deleted])
        #expect(try !inotify.gather())
        var wanted: [String] = []
        // One event at a time shares the memory of those before; many fill several reads.
        for count in [1, 1, 300, 0, 2] {
            for _ in 0..<count {
                let name = "\(wanted.count) " + String(repeating: "n", count: wanted.count % 200)
                try folder.write(name)
                wanted.append(name)
            }
            #expect(try inotify.gather())
        }
        var names: [String] = []
        func take(_ event: InotifyEvent) {
            names.append(String(decoding: event.name, as: UTF8.self))
        }
        // One that comes later is read later.
        #expect(try inotify.readEvents(take))
        #expect(names.count < wanted.count)
        try folder.write("late")
        #expect(try inotify.gather())
        try folder.write("last")
        while try inotify.readEvents(take) {}
        #expect(names == wanted + ["late", "last"])
        #expect(try !inotify.gather())
        #expect(try drain(&inotify).isEmpty)
    }

    @Test("a removed watch, and one whose folder is removed, end with an event")
    func ends() throws {
        let folder = try TemporaryFolder()
        try folder.makeFolder("a")
        try folder.makeFolder("b")
        var inotify = try Inotify()
        let first = try inotify.add(folder.rawPath("a"), all)
        let second = try inotify.add(folder.rawPath("b"), all)
        #expect(first != second)
        #expect(try inotify.add(folder.rawPath("a"), [all, .onlyDirectory]) == first)
        inotify.remove(first)
        inotify.remove(first)
        try folder.remove("b")
        let events = try drain(&inotify)
        #expect(
            events.map { [$0.watch, Int32(bitPattern: $0.mask.rawValue)] }
                == [
                    [first, IN_IGNORED], [second, IN_DELETE_SELF], [second, IN_IGNORED],
                ].map { [$0[0], Int32($0[1])] })
        #expect(events.allSatisfy { $0.name.isEmpty })
    }

    @Test("a path that cannot be watched is an error that names it")
    func errors() throws {
        let folder = try TemporaryFolder()
        try folder.write("file")
        let inotify = try Inotify()
        var codes: [ErrorNumber] = []
        for name in ["none", "file"] {
            do {
                _ = try inotify.add(folder.rawPath(name), [.created, .onlyDirectory])
            } catch {
                codes.append(error.code)
                #expect(error.subject == folder.path(name))
            }
        }
        #expect(codes == [.noSuchFile, .notADirectory])
    }
}
