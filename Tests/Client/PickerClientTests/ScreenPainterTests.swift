import Glibc
import PickerClient
import SystemInterface
import TerminalCells
import TestSupport
import Testing
import pickerctl

@Suite struct ScreenPainterTests {
    /// A painter on a pipe, of which the test is the terminal.
    private final class Scene {
        let loop = PollLoop()
        let painter: ScreenPainter
        let reading: DescriptorBox
        var text = 0
        var made: [Int] = []

        init(_ place: FrameWriter.Place = .whole) throws {
            let (reading, writing) = try OwnedDescriptor.pipe().boxed()
            try writing.descriptor.setNonBlocking()
            self.reading = reading
            let size = TerminalSize(rows: 40, columns: 200)
            painter = ScreenPainter(
                place, size: size, features: TerminalFeatures(), to: writing, on: loop)
            painter.makeFrame = { [unowned self] in
                var grid = CellGrid(rows: size.rows, columns: size.columns)
                for row in 0..<size.rows {
                    let text = String(repeating: "\(text % 10)", count: size.columns)
                    grid.put(
                        StyledText(escaping: text), row: row, column: 0, width: size.columns)
                }
                return ScreenFrame(grid: grid)
            }
            painter.onFrame = { [unowned self] in made.append($0) }
        }

        /// Changes what is to be shown, in a turn of its own.
        func change() {
            text += 1
            painter.paintSoon()
            turn()
        }

        func turn() {
            var isDone = false
            loop.atEndOfTurn { isDone = true }
            loop.run { isDone }
        }

        func read() -> Int { readText().utf8.count }

        func readText() -> String {
            var buffer = [UInt8](repeating: 0, count: 1 << 20)
            guard case .bytes(let count)? = try? reading.descriptor.read(into: &buffer) else {
                return ""
            }
            return String(decoding: buffer[..<count], as: UTF8.self)
        }
    }

    @Test("A slow terminal gets no more than one frame at a time, and then the newest")
    func slow() throws {
        let scene = try Scene()
        scene.painter.begin()
        var longest = 0
        for _ in 0..<200 {
            scene.change()
            longest = max(longest, scene.painter.waitingBytes)
        }
        // A pipe takes 64 KiB, and a frame has 8 KB.
        #expect(scene.made.count < 12)
        #expect(longest > 0)
        #expect(longest < 12_000)
        let before = scene.made.count
        #expect(scene.painter.seen == before - 1)
        let isRead = scene.loop.reach { scene.read() == 0 && scene.painter.waitingBytes == 0 }
        #expect(isRead)
        scene.turn()
        #expect(scene.made.count == before + 1)
        #expect(scene.painter.seen == before + 1)
    }

    @Test("A frame that is equal is numbered, and nothing is written")
    func equal() throws {
        let scene = try Scene()
        scene.painter.begin()
        scene.change()
        while scene.read() > 0 {}
        scene.painter.paintSoon()
        scene.turn()
        #expect(scene.painter.seen == 2)
        #expect(scene.read() == 0)
    }

    @Test("A question is sent behind a frame, once")
    func question() throws {
        let scene = try Scene()
        scene.painter.ask(Array("what?".utf8))
        scene.painter.begin()
        scene.turn()
        let first = scene.readText()
        #expect(first.hasSuffix("what?") && first.count > 1000)
        scene.change()
        let second = scene.readText()
        #expect(!second.isEmpty && !second.contains("what?"))
        #expect(scene.made == [1, 2])
    }

    @Test("Nothing is drawn after it was left")
    func left() throws {
        let scene = try Scene()
        scene.painter.begin()
        scene.change()
        scene.painter.leave(keeping: false)
        while scene.read() > 0 {}
        scene.change()
        #expect(scene.read() == 0)
        #expect(scene.made == [1])
    }

    @Test("Below the prompt the terminal is asked once where that is, and then the mouse is told")
    func place() throws {
        let scene = try Scene(.below(rows: 5))
        scene.painter.begin()
        scene.change()
        let first = scene.readText()
        #expect(first.hasSuffix("\u{1b}[6n") && !first.contains("1002"))
        #expect(scene.painter.isAsking)
        #expect(scene.painter.row(at: 3) == nil)
        scene.change()
        #expect(!scene.readText().contains("6n"))
        // The cursor was in the last row of the area.
        scene.painter.take(cursorRow: 14)
        scene.turn()
        #expect(scene.readText().contains("\u{1b}[?1002h"))
        #expect(!scene.painter.isAsking)
        #expect((9...15).map { scene.painter.row(at: $0) } == [nil, 0, 1, 2, 3, 4, nil])
        scene.painter.forget(size: TerminalSize(rows: 40, columns: 100))
        #expect(scene.painter.row(at: 12) == nil)
        scene.turn()
        #expect(scene.readText().hasSuffix("\u{1b}[6n"))
        scene.painter.leave(keeping: false)
        #expect(scene.readText().contains("\u{1b}[?1002l"))
    }

    @Test("An answer from before the area moved is not taken, and one to nothing neither")
    func lateAnswers() {
        var area = AreaPlace()
        area.take(5)
        #expect(area.row == nil && !area.isAsking)
        func asks(_ row: Int) -> Bool { area.asks(withCursorIn: row) }
        #expect(asks(2))
        #expect(!asks(2))
        area.move()
        #expect(!asks(3))
        area.take(7)
        #expect(area.row == nil)
        #expect(asks(4))
        area.take(7)
        #expect(area.row == 3)
        area.take(9)
        #expect(area.row == 3)
        #expect(!asks(1))
        area.move()
        #expect(area.row == nil)
        #expect(asks(4))
        // There is no such row.
        area.take(1)
        #expect(area.row == nil)
    }

    @Test(
        "The rows below the prompt are a number, or a part of the terminal",
        arguments: [("10", 10), ("50%", 12), ("1", 3), ("99", 24), ("100%", 24), ("1%", 3)])
    func heights(text: String, rows: Int) throws {
        let layout = try #require(PickLayout(text))
        let terminal = TerminalSize(rows: 24, columns: 80)
        #expect(layout.size(in: terminal) == TerminalSize(rows: rows, columns: 80))
        let large = TerminalSize(rows: 100, columns: 80)
        #expect(layout.fixed(in: terminal).size(in: large).rows == rows)
    }

    @Test("Anything else is no height", arguments: ["", "0", "-1", "x", "5x", "101%", "%", "0%"])
    func noHeights(text: String) {
        #expect(PickLayout(text) == nil)
    }

    @Test("A last word with a slash that is a folder is no part of the query")
    func folders() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("")
        #expect(PickArguments(["a", path]).folder == Array(path.utf8))
        #expect(PickArguments(["a", path]).query == "a")
        #expect(PickArguments([path, "a"]).folder == nil)
        #expect(PickArguments(["/no/such/folder/"]).query == "/no/such/folder/")
        #expect(PickArguments(["."]).folder != nil)
        #expect(PickArguments(["tmp"]).folder == nil)
        #expect(PickArguments([]).folder == nil)
    }
}
