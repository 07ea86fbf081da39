import DirectoryWatching
import EventLoops
import Glibc
import PickerModel
import SystemInterface
import SystemdEventLoop
import TestSupport
import Testing

@Suite("On the real loop")
struct RealLoopTests {
    @Test("Changes reach the store through the loop alone, and an idle loop does nothing")
    func followed() throws {
        let folder = try TemporaryFolder()
        let disk = Disk(folder.path("root"))
        disk.makeFolders("")
        disk.makeFolder("")
        let loop = try SystemdLoop()
        let store = DocumentStore(epoch: "test")
        let watcher = DirectoryWatcher(loop: loop, store: store)
        try watcher.setRoots([disk.path])
        func wait(_ condition: () -> Bool) throws {
            let held = try waitUntil {
                _ = try loop.runOne(waitingAtMost: .milliseconds(1))
                return condition()
            }
            #expect(held)
        }
        try wait { watcher.isSettled && watcher.roots.first?.state == .watching }
        disk.makeFolders("a/b")
        disk.write("a/b/c", "1")
        try wait { store[root: disk.path, path: FileName("a/b/c")] != nil }
        let key = store[root: disk.path, path: FileName("a/b/c")]?.key
        disk.move("a", "z")
        try wait { store[root: disk.path, path: FileName("z/b/c")]?.key == key }
        disk.move("z", outTo: folder.path("out"))
        try wait { store.count == 0 }
        #expect(watcher.isSettled)
        #expect(try waitUntil { try !loop.runOne(waitingAtMost: .milliseconds(50)) })
    }

    @Test("Figures", .enabled(if: Figures.files != nil))
    func figures() throws {
        guard let files = Figures.files else { return }
        let folder = try TemporaryFolder()
        let disk = Disk(folder.path("root"))
        disk.makeFolder("")
        for number in 0..<files {
            if number % 100 == 0 { disk.makeFolder("d\(number / 100)") }
            disk.write("d\(number / 100)/file \(number).txt")
        }
        let loop = try SystemdLoop()
        let store = DocumentStore(epoch: "test")
        let watcher = DirectoryWatcher(loop: loop, store: store)
        let clock = ContinuousClock()
        var longest = Duration.zero
        let scan = try clock.measure {
            try watcher.setRoots([disk.path])
            while !watcher.isSettled {
                let turn = try clock.measure { _ = try loop.runOne(waitingAtMost: .zero) }
                longest = max(longest, turn)
            }
        }
        #expect(store.count == files)
        print("scan of \(files) files: \(scan), longest turn \(longest)")
        var changes = Duration.zero
        let count = 5000
        for number in 0..<count {
            disk.write("d0/new", "x")
            changes += try clock.measure {
                _ = try loop.runOne(waitingAtMost: .zero)
            }
            if number % 2 == 0 { disk.remove("d0/new") } else { disk.move("d0/new", "d0/moved") }
            changes += try clock.measure {
                _ = try loop.runOne(waitingAtMost: .zero)
            }
        }
        print("a change: \(changes / (2 * count)), transactions \(store.rev)")
        let move = try clock.measure {
            disk.move("d0", "d1/d0")
            _ = try loop.runOne(waitingAtMost: .zero)
        }
        print("a folder of 100 moved: \(move)")
    }
}

enum Figures {
    /// The number of files to measure with: `PICKERD_FIGURES`.
    static var files: Int? {
        // The C string is read at once; no test changes this variable.
        unsafe getenv("PICKERD_FIGURES").flatMap { unsafe Int(String(cString: $0)) }
    }
}
