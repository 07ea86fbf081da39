import PickerClient
import Picking
import Previews
import SystemInterface
import TerminalCells
import TestSupport
import Testing

@Suite("Previews of files, while the loop runs on")
struct PreviewRunnerTests {
    /// The paths that were read, and a reading that lasts until it is let go on.
    private struct Reads: Sendable {
        let begun: Mailbox<String>
        private let gate: DescriptorBox

        init() throws {
            begun = try Mailbox(limit: 1000)
            gate = DescriptorBox(try OwnedDescriptor.wakeUp())
        }

        func read(_ preview: FilePreview) -> FileContent {
            let name = String(decoding: preview.path, as: UTF8.self).split(separator: "/").last
            begun.post(String(name ?? ""))
            if name?.hasPrefix("hanging") == true {
                gate.descriptor.waitUntilReadable(milliseconds: nil)
            }
            return FileContent(.failed(String(name ?? "")))
        }

        func letGoOn() { gate.descriptor.signalWakeUp() }
    }

    @Test("A file is read, and told once")
    func simple() throws {
        let bench = try PreviewBench(clock: TestClock())
        try bench.folder.write("file", "hello\n")
        bench.show()
        #expect(bench.content()?.text == ["hello"])
        #expect(bench.told.count == 1)
    }

    @Test("The first preview begins at once, and only the last of those that follow soon")
    func quickMoves() throws {
        let (clock, reads) = (TestClock(), try Reads())
        let bench = try PreviewBench(clock: clock) { reads.read($0) }
        bench.show("a")
        #expect(bench.content() == .failed("a"))
        for name in ["b", "c", "d"] {
            clock.pass(milliseconds: 29)
            bench.turn()
            bench.show(name)
        }
        clock.pass(milliseconds: 29)
        bench.turn()
        #expect(bench.told.isEmpty)
        clock.pass(milliseconds: 1)
        #expect(bench.content() == .failed("d"))
        #expect(reads.begun.takeAll() == ["a", "d"])
        clock.pass(milliseconds: 30)
        bench.show("e")
        #expect(bench.content() == .failed("e"))
    }

    @Test("The preview of a file that changes all the time is not put off for ever")
    func changes() throws {
        let (clock, reads) = (TestClock(), try Reads())
        let bench = try PreviewBench(clock: clock) { reads.read($0) }
        bench.show("a")
        #expect(bench.content() != nil)
        for _ in 0..<9 {
            clock.pass(milliseconds: 10)
            bench.turn()
            bench.show("a")
        }
        clock.pass(milliseconds: 30)
        #expect(bench.content() != nil)
        // Those of the second and later ones may not have begun yet, on other threads.
        #expect(reads.begun.takeAll().count >= 3)
    }

    @Test("A preview that is not wanted any more is not told, nor begun")
    func cancelled() throws {
        let (clock, reads) = (TestClock(), try Reads())
        let bench = try PreviewBench(clock: clock) { reads.read($0) }
        bench.show("a")
        #expect(bench.reach { reads.begun.next() == "a" })
        bench.showNone()
        bench.show("b")
        bench.showNone()
        clock.pass(milliseconds: 1000)
        // What began now would be read meanwhile.
        for _ in 0..<20 { bench.turn() }
        bench.show("c")
        #expect(bench.content() == .failed("c"))
        bench.showNone()
        #expect(bench.told.isEmpty)
        #expect(reads.begun.takeAll() == ["c"])
    }

    @Test(
        "A read that hangs leaves its thread behind; after three none begins until one goes on")
    func hanging() throws {
        let (clock, reads) = (TestClock(), try Reads())
        let bench = try PreviewBench(clock: clock) { reads.read($0) }
        for number in 1...3 {
            bench.show("hanging\(number)")
            #expect(bench.reach { reads.begun.next() != nil })
            clock.pass(milliseconds: 100)
            #expect(bench.reach { bench.last == .loading })
        }
        bench.show("a")
        #expect(
            bench.last
                == .failed("It can't be read now: 3 files before it are still being read"))
        clock.pass(milliseconds: 100)
        bench.turn()
        reads.letGoOn()
        #expect(bench.reach { bench.last == .failed("a") })
        #expect(bench.told.count == 2)
    }

    @Test("Nothing is told after the end, and nothing begins")
    func closed() throws {
        let reads = try Reads()
        let bench = try PreviewBench { reads.read($0) }
        bench.show("hanging")
        #expect(bench.reach { reads.begun.next() != nil })
        bench.runner.close()
        reads.letGoOn()
        bench.show("a")
        // The loop has nothing left to wait for.
        #expect(!bench.loop.run { false })
        #expect(bench.told.isEmpty)
        #expect(reads.begun.count == 0)
    }
}
