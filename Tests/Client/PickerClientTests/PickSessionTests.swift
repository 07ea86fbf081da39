import JSONText
import PickerClient
import Picking
import TerminalCells
import TestSupport
import Testing
import WireProtocol
import pickerctl

@Suite("A picker and its daemon")
struct PickSessionTests {
    private final class Scene {
        let bench: Bench
        let daemon: ListingDaemon
        let session: PickSession

        init(_ names: [String] = ["a", "b", "c", "d"], count: Int = 12) throws {
            bench = try Bench()
            daemon = ListingDaemon(bench.server, names.map { .sample($0) })
            var parameters = PickSession.Parameters()
            parameters.options.isMulti = true
            session = PickSession(
                parameters, on: try ReconnectingSession(to: bench.server.path, on: bench.loop))
            session.begin(
                PickState(parameters.options, size: TerminalSize(rows: count, columns: 60)))
        }

        deinit { session.end(visiting: []) }

        var state: PickState? { session.state }
        var marked: [String?] { state?.marks.all.map(\.item.name) ?? [] }
        var gone: [String?] { state?.marks.gone.map(\.item.name) ?? [] }

        func until(_ condition: () -> Bool) -> Bool { bench.loop.reach(condition) }

        func press(_ code: KeyPress.Code, _ modifiers: KeyPress.Modifiers = []) {
            session.send(.input(.key(KeyPress(code, modifiers)), seen: 0))
        }

        /// Marks the first rows.
        func mark(_ count: Int) -> Bool {
            guard until({ state?.rows?.isComplete ?? false }) else { return false }
            for _ in 0..<count { press(.tab) }
            return until { follows(count) }
        }

        /// Whether there is a list of so many keys.
        func follows(_ count: Int) -> Bool {
            let filters = daemon.filters.compactMap { $0?.arrayValue }
            let keys = filters.map { $0.first { $0.arrayValue?.first == "key" } }
            return keys.contains { $0?.arrayValue?.last?.arrayValue?.count == count }
        }
    }

    @Test("Marked documents are one list of their keys, of which dropped ones are, too")
    func marks() throws {
        let scene = try Scene()
        #expect(scene.mark(3))
        #expect(scene.daemon.filters.count == 2)
        let filter = try #require(scene.daemon.filters.compactMap { $0 }.first)
        #expect(
            filter == [
                "allof", ["key", ["k-a", "k-b", "k-c"]],
                ["anyof", ["dropped"], ["not", ["dropped"]]],
            ])
        scene.press(.up)
        scene.press(.tab, .shift)
        #expect(scene.until { scene.follows(2) })
        #expect(scene.daemon.filters.count == 2)
        scene.press(.character("i"), .alt)
        #expect(scene.until { scene.marked == ["c", "d"] })
        scene.press(.character("a"), .alt)
        #expect(scene.until { scene.marked.count == 4 })
        scene.press(.character("i"), .alt)
        // No mark, no list.
        #expect(scene.until { scene.marked.isEmpty && scene.daemon.filters == [nil] })
    }

    @Test("Renames, ends and returns of marked documents are seen, wherever they are in the list")
    func changes() throws {
        let scene = try Scene()
        #expect(scene.mark(3))
        scene.session.send(.input(.text("d"), seen: 0))
        #expect(scene.until { scene.state?.rows?.items.map(\.name) == ["d"] })
        var renamed = ItemRecord.sample("a")
        renamed.name = WireName("new")
        renamed.path = WireName("new")
        scene.daemon.documents = [renamed, .sample("c"), .sample("d")]
        #expect(scene.until { scene.marked == ["new", "b", "c"] && scene.gone == ["b"] })
        scene.daemon.documents.append(.sample("b"))
        #expect(scene.until { scene.gone.isEmpty })
        // One that is not found yet is not gone.
        scene.daemon.isComplete = false
        scene.daemon.documents = [.sample("d")]
        #expect(scene.until { scene.state?.rows?.isComplete == false })
        #expect(scene.gone.isEmpty && scene.marked.count == 3)
        scene.daemon.isComplete = true
        #expect(scene.until { scene.gone.count == 3 })
    }

    @Test("After a lost connection they are followed again")
    func reconnection() throws {
        let scene = try Scene()
        #expect(scene.mark(2))
        scene.daemon.restart(as: 0, with: ["a", "c", "d"].map { .sample($0) })
        #expect(scene.until { scene.state?.link == .reconnecting })
        #expect(scene.until { scene.gone == ["b"] })
        #expect(scene.marked == ["a", "b"])
    }

    @Test("In another life keys mean other documents, and marks are found by their paths")
    func otherLife() throws {
        let scene = try Scene()
        #expect(scene.mark(2))
        // The key of "a" is that of "b" now, and so on.
        scene.daemon.restart(
            as: 1, with: ["b", "c", "d", "e"].map { .sample($0, life: 2) })
        #expect(scene.until { scene.state?.rows?.items.first?.name == "b" })
        #expect(scene.until { scene.gone == ["a"] && scene.follows(1) })
        #expect(scene.marked == ["a", "b"])
        #expect(scene.state?.marks.all.map(\.key) == [nil, "k-a"])
        scene.daemon.documents.removeFirst()
        #expect(scene.until { scene.gone == ["a", "b"] })
    }

    @Test("As many marks as there may be are one request")
    func limit() throws {
        let scene = try Scene((0..<4200).map { "f\($0)" })
        #expect(scene.until { scene.state?.rows?.isComplete ?? false })
        scene.press(.character("a"), .alt)
        #expect(scene.until { scene.state?.marks.count == 4096 })
        #expect(scene.until { scene.follows(4096) })
        scene.daemon.documents.removeFirst(10)
        #expect(scene.until { scene.gone.count == 10 })
    }
}
