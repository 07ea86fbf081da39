import PickerClient
import Picking
import Previews
import StateFeedback
import SystemInterface
import TerminalCells
import TestSupport
import Testing

@Suite("Pictures of several documents")
struct PictureRunnerTests {
    /// What threads read: those whose names begin with "hanging" until they are let go on.
    private final class Reads: Sendable {
        let begun: SystemInterface.Mailbox<String>
        private let gate: DescriptorBox

        init() throws {
            begun = try Mailbox(limit: 64)
            gate = DescriptorBox(try OwnedDescriptor.wakeUp())
        }

        func read(_ preview: FilePreview) -> FileContent {
            let name = String(decoding: preview.path, as: UTF8.self)
            begun.post(name)
            if name.hasPrefix("hanging") {
                gate.descriptor.waitUntilReadable(milliseconds: nil)
            }
            return FileContent(.failed(name))
        }

        func letGoOn() { gate.descriptor.signalWakeUp() }
    }

    /// A runner, and what it has told.
    private final class Scene {
        let loop = PollLoop()
        let runner: PictureRunner
        var told: [String] = []
        var ends: [String: Cancellation] = [:]

        init(_ reads: Reads) throws {
            runner = try PictureRunner(on: loop) { reads.read($0) }
        }

        func start(_ name: String, _ then: @escaping () -> Void = {}) {
            let request = PreviewRequest(
                number: 1, path: Array(name.utf8), size: nil, modified: nil, type: "image/png",
                area: TerminalSize(rows: 5, columns: 20), terms: [], query: "", command: nil)
            ends[name] = runner.start(request) { [unowned self] content in
                told.append(content.failure ?? "")
                then()
            }
        }

        /// Runs the loop until a condition holds.
        func reach(_ condition: () -> Bool) -> Bool {
            var isLate = false
            let timer = loop.schedule(after: patience) { isLate = true }
            defer { timer.cancel() }
            while !condition(), !isLate {
                var isPast = false
                // A pause between the looks, not an estimate of a duration.
                let pause = loop.schedule(after: .milliseconds(1)) { isPast = true }
                loop.run { isPast }
                pause.cancel()
            }
            return !isLate
        }
    }

    @Test("All are read, in their order as far as one thread reads them, and each is told once")
    func all() throws {
        let reads = try Reads()
        let scene = try Scene(reads)
        // Two threads are left behind, so that one reads all others.
        scene.start("hanging 1")
        scene.start("hanging 2")
        let names = (0..<20).map { "\($0)" }
        for name in names { scene.start(name) }
        #expect(scene.reach { scene.told.count == 20 })
        #expect(scene.told == names)
        reads.letGoOn()
        #expect(scene.reach { scene.told.count == 22 })
        #expect(Set(scene.told.suffix(2)) == ["hanging 1", "hanging 2"])
    }

    @Test("What is wanted no more is not told, and not begun if it waits")
    func ended() throws {
        let reads = try Reads()
        let scene = try Scene(reads)
        for number in 1...3 { scene.start("hanging \(number)") }
        var begun: [String] = []
        #expect(
            scene.reach {
                begun += reads.begun.takeAll()
                return begun.count == 3
            })
        for name in ["a", "b", "c", "d"] { scene.start(name) }
        for name in ["hanging 2", "a", "c"] { scene.ends[name]?.cancel() }
        reads.letGoOn()
        #expect(scene.reach { scene.told.count == 4 })
        #expect(Set(scene.told) == ["hanging 1", "hanging 3", "b", "d"])
        #expect(Set(reads.begun.takeAll()) == ["b", "d"])
    }

    @Test("One that is told may end others, and begin some")
    func within() throws {
        let scene = try Scene(try Reads())
        scene.start("a") {
            scene.ends["b"]?.cancel()
            scene.start("c")
        }
        scene.start("b")
        #expect(scene.reach { scene.told.contains("c") })
        #expect(Set(scene.told).isSubset(of: ["a", "b", "c"]) && scene.told.first != "c")
    }

    @Test("Nothing is told after the end")
    func closed() throws {
        let reads = try Reads()
        let scene = try Scene(reads)
        scene.start("hanging")
        scene.start("b")
        #expect(scene.reach { scene.told == ["b"] })
        scene.start("c")
        scene.runner.close()
        scene.start("a")
        reads.letGoOn()
        // The loop's turns in which they would be told.
        var turns = 0
        #expect(
            scene.reach {
                turns += 1
                return turns > 100
            })
        #expect(scene.told == ["b"])
    }
}
