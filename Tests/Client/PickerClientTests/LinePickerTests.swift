import PickerClient
import Picking
import TerminalCells
import TestSupport
import Testing
import WireProtocol
import pickerctl

@Suite("A picker in lines")
struct LinePickerTests {
    private final class Scene {
        let bench: Bench
        let daemon: ListingDaemon
        let picker: LinePicker
        private let paper: Paper

        private final class Paper { var text = "" }

        init(
            _ names: [String] = ["a1", "a2", "b"], rows: Int = 24,
            _ change: (inout PickOptions) -> Void = { _ in }
        ) throws {
            bench = try Bench()
            daemon = ListingDaemon(bench.server, names.map { .sample($0) })
            var parameters = PickSession.Parameters()
            change(&parameters.options)
            let paper = Paper()
            self.paper = paper
            picker = LinePicker(
                parameters, on: try ReconnectingSession(to: bench.server.path, on: bench.loop),
                size: TerminalSize(rows: rows, columns: 40), dates: DateText(now: 0, zone: .utc)
            ) { paper.text += $0 }
            picker.begin()
        }

        deinit { picker.end() }

        /// The lines since they were taken last, once it asks for the next one.
        func said() -> [String] {
            #expect(bench.loop.reach { paper.text.hasSuffix("> ") || picker.outcome != nil })
            defer { paper.text = "" }
            return paper.text.split(separator: "\n").map { String($0) }
        }

        func type(_ line: String?) -> [String] {
            picker.take(line)
            return said()
        }

        var picked: [String?]? {
            #expect(bench.loop.reach { picker.outcome != nil })
            guard case .picked(let items)? = picker.outcome else { return nil }
            return items.map(\.name)
        }
    }

    /// The number and the name of each row.
    private func rows(_ lines: [String]) -> [String] {
        lines.filter { $0.contains("  ") && $0 != "> " }.map {
            $0.split(separator: " ").prefix(2).joined(separator: " ")
        }
    }

    @Test("Rows are numbered, and a number takes one")
    func number() throws {
        let scene = try Scene()
        let lines = scene.said()
        #expect(lines.first?.contains("q ends it") ?? false)
        #expect(rows(lines) == ["1 a1", "2 a2", "3 b"])
        #expect(lines.last == "> ")
        scene.picker.take(" 2 ")
        #expect(scene.picked == ["a2"])
    }

    @Test("Other text is searched for, as what is typed on a screen")
    func search() throws {
        let scene = try Scene()
        _ = scene.said()
        #expect(rows(scene.type("b")) == ["1 b"])
        #expect(scene.type("zzz") == ["nothing matches", "> "])
        let fault = scene.type("size:x")
        #expect(fault.count == 4 && fault[1].contains("^"))
        #expect(rows(scene.type("/2")) == ["1 a2"])
        let wrong = scene.type("9")
        #expect(wrong.first?.contains("the rows are 1 to 1") ?? false)
        _ = scene.type("zzz")
        scene.picker.take("")
        #expect(scene.picker.outcome == .nothing)
    }

    @Test("Enter alone prints the rows as they are now")
    func enter() throws {
        let scene = try Scene(["a"])
        _ = scene.said()
        scene.daemon.documents.insert(.sample("new"), at: 0)
        #expect(scene.bench.loop.reach { rows(scene.type("")) == ["1 new", "2 a"] })
        scene.picker.take("1")
        #expect(scene.picked == ["new"])
    }

    @Test("q and the end of input cancel it", arguments: ["q", nil])
    func cancel(line: String?) throws {
        let scene = try Scene()
        _ = scene.said()
        scene.picker.take(line)
        #expect(scene.picker.outcome == .cancelled)
    }

    @Test("Several are taken in the order in which they are named, as they are by then")
    func several() throws {
        let scene = try Scene { $0.isMulti = true }
        _ = scene.said()
        var renamed = ItemRecord.sample("b")
        renamed.name = WireName("z")
        scene.daemon.documents = [.sample("new"), .sample("a1"), .sample("a2"), renamed]
        scene.picker.take("3, 1-2")
        #expect(scene.picked == ["z", "a1", "a2"])
    }

    @Test("What is gone is told, and not taken")
    func gone() throws {
        let scene = try Scene { $0.isMulti = true }
        _ = scene.said()
        scene.daemon.documents.remove(at: 1)
        let lines = scene.type("1-3")
        #expect(lines.first == "'a2' is gone")
        #expect(rows(Array(lines.dropFirst())) == ["1 a1", "2 b"])
        #expect(scene.picker.outcome == nil)
    }

    @Test("In another life of the daemon the numbers of before mean nothing")
    func otherLife() throws {
        let scene = try Scene(["b", "c"])
        _ = scene.said()
        scene.daemon.restart(as: 1, with: ["c", "d"].map { .sample($0, life: 2) })
        let lines = scene.said()
        #expect(lines.contains { $0.contains("others than before") })
        #expect(rows(lines) == ["1 c", "2 d"])
    }

    @Test("No more rows are printed than there is room for, and how many more there are is said")
    func room() throws {
        let scene = try Scene((0..<50).map { "f\($0)" }, rows: 10)
        let lines = scene.said()
        #expect(rows(lines).count == 6)
        #expect(lines.suffix(2) == ["… and 44 more", "> "])
    }

    @Test("What a terminal would obey is not written")
    func hostile() throws {
        let scene = try Scene(["a\u{1b}[31m\nb"])
        #expect(rows(scene.said()) == ["1 a\\x1b[31m\\nb"])
    }

    @Test(
        "A line is a choice only if it is nothing else",
        arguments: [
            ("1", false, .rows([0])), ("3", true, .rows([2])), (" 2\t", true, .rows([1])),
            ("1,3-5", true, .rows([0, 2, 3, 4])), ("2-3 , 1-2", true, .rows([1, 2, 0])),
            ("1,3-5", false, .search("1,3-5")), ("2024-05", false, .search("2024-05")),
            ("1 2", true, .search("1 2")), ("1,", true, .search("1,")), ("-1", true, .search("-1")),
            ("1-2-3", true, .search("1-2-3")), ("/", true, .search("")), ("/q", true, .search("q")),
            ("", true, .empty), (" \t", false, .empty), ("q", true, .quit),
            ("Q", true, .search("Q")), ("٣", true, .search("٣")),
        ] as [(String, Bool, RowChoice)])
    func choices(line: String, isMulti: Bool, choice: RowChoice) {
        #expect(RowChoice(line, rows: 5, isMulti: isMulti) == choice)
    }

    @Test(
        "Numbers of other rows are none",
        arguments: ["0", "6", "1-6", "3-2", "99999999999999999999", "1-99999999999999999999"])
    func wrong(line: String) {
        for count in [0, 5] {
            let choice = RowChoice(line, rows: count, isMulti: true)
            guard case .wrong = choice else {
                Issue.record("\(choice)")
                continue
            }
        }
    }
}
