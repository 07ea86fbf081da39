import TerminalCells
import TestSupport
import Testing

@Suite("What a terminal is sent")
struct FrameWriterTests {
    /// A writer and the terminal it writes to.
    private struct Bench {
        var writer: FrameWriter
        var terminal: TerminalModel
        /// The row of the terminal in which the area begins.
        var top = 0
        let above: [[CellGrid.Cell]]

        init(
            _ place: FrameWriter.Place, size: TerminalSize, features: TerminalFeatures,
            startingIn row: Int = 0
        ) {
            writer = FrameWriter(place, size: size, features: features)
            terminal = TerminalModel(rows: size.rows, columns: size.columns)
            let line = size.columns > 1 ? "$\r\n" : "\r\n"
            for _ in 0..<row { terminal.write(Array(line.utf8)) }
            let before = terminal.cells
            terminal.write(writer.enter())
            let area = writer.area
            if place != .whole { top = min(row, size.rows - area.rows) }
            above = place == .whole ? before : Array(before[(row - top)..<row])
        }

        mutating func show(_ frame: ScreenFrame) -> [UInt8] {
            let bytes = writer.update(to: frame)
            terminal.write(bytes)
            return bytes
        }

        /// What is wrong on the screen.
        func faults(_ frame: ScreenFrame, leavingOut isLeftOut: (String) -> Bool) -> [String] {
            var faults = terminal.faults
            let hasColor = writer.features.hasColor
            for row in 0..<frame.grid.rows {
                var isSkipped = false
                for column in 0..<frame.grid.columns {
                    let cell = frame.grid[row, column]
                    if !cell.text.isEmpty { isSkipped = isLeftOut(cell.text) }
                    if isSkipped { continue }
                    let shown = terminal.cells[top + row][column]
                    if shown.seen(inColor: hasColor) != cell.seen(inColor: hasColor) {
                        faults.append(
                            "\(row), \(column): \(shown.text) instead of \(cell.text)"
                                + (shown.style == cell.style ? "" : ", in another style"))
                    }
                }
            }
            if terminal.modes.contains(25) != (frame.cursor != nil) { faults.append("the cursor") }
            if let cursor = frame.cursor,
                cursor != CellPlace(row: terminal.row - top, column: terminal.column)
            {
                faults.append(
                    "the cursor is in \(terminal.row - top), \(terminal.column), not at \(cursor)")
            }
            if terminal.modes.contains(2026) { faults.append("the frame is not shown") }
            return faults
        }
    }

    private static let sizes = [(1, 1), (1, 2), (2, 1), (3, 7), (10, 20), (24, 80), (60, 120)]
        .map { TerminalSize(rows: $0.0, columns: $0.1) }

    private func place(_ size: TerminalSize, using random: inout SeededRandom)
        -> FrameWriter.Place
    {
        random.chance(0.5) ? .whole : .below(rows: Int.random(in: 1...size.rows, using: &random))
    }

    /// The number of bytes but for those that have them shown at once: only longer changes have these.
    private func drawn(_ bytes: [UInt8]) -> Int {
        let begin = Array("\u{1B}[?2026h".utf8)
        return bytes.count - (bytes.starts(with: begin) ? 2 * begin.count : 0)
    }

    /// Frames one after another, each of which is to be on the screen after its bytes.
    private func showFrames(
        _ size: TerminalSize, disputes: Bool, width: @escaping (String) -> Int,
        leavingOut isLeftOut: (String) -> Bool, using random: inout SeededRandom
    ) {
        let features = TerminalFeatures(
            hasColor: random.chance(0.8), hasTrueColor: true,
            hasSynchronizedOutput: random.chance(0.3))
        let place = place(size, using: &random)
        let row = Int.random(in: 0..<size.rows, using: &random)
        var bench = Bench(place, size: size, features: features, startingIn: row)
        bench.terminal.width = width
        bench.terminal.erasesWithBackground = random.chance(0.5)
        bench.terminal.addsReturns = random.chance(0.5)
        let frames = RandomFrames(disputes: disputes, using: &random)
        let area = bench.writer.area
        var frame = ScreenFrame(grid: CellGrid(rows: area.rows, columns: area.columns))
        for _ in 0..<12 {
            frame = frames.change(frame, using: &random)
            if random.chance(0.1) { bench.terminal.write(bench.writer.forget(size: size)) }
            if random.chance(0.1) { bench.writer.hasMouse = true }
            var repainting = bench.writer
            let bytes = bench.show(frame)
            #expect(bench.faults(frame, leavingOut: isLeftOut) == [])
            #expect(bench.show(frame).isEmpty, "nothing is sent if it is shown already")
            let blank = repainting.forget(size: size)
            let repaint = repainting.update(to: frame)
            #expect(
                drawn(bytes) <= blank.count + drawn(repaint),
                "a change is never more than everything")
        }
        let isKept = random.chance(0.5)
        bench.terminal.write(bench.writer.leave(keeping: isKept))
        #expect(bench.terminal.faults == [])
        #expect(bench.terminal.modes == [7, 25] && !bench.terminal.isOtherScreen)
        #expect(bench.terminal.style == .plain && bench.terminal.column == 0)
        if place != .whole, !isKept {
            #expect(Array(bench.terminal.cells[0..<bench.top]) == bench.above)
            let blank = bench.terminal.cells[bench.top...].joined().allSatisfy { $0.text == " " }
            #expect(blank && bench.terminal.row == bench.top)
        }
        if place == .whole, !isKept { #expect(bench.terminal.cells == bench.above) }
    }

    @Test("After the bytes of a change the screen shows the new frame", arguments: sizes)
    func frames(size: TerminalSize) {
        withSeed { random in
            for _ in 0..<testRounds(size.rows > 20 ? 8 : 60) {
                showFrames(
                    size, disputes: true, width: DisplayWidth.of, leavingOut: { _ in false },
                    using: &random)
            }
        }
    }

    @Test("A terminal that takes other widths for emoji and clusters shows all else in its place")
    func disputes() {
        withSeed { random in
            for _ in 0..<testRounds(100) {
                let salt = Int.random(in: 0..<1000, using: &random)
                func isDisputed(_ text: String) -> Bool {
                    text.unicodeScalars.count > 1
                        || RandomFrames.disputed.contains(text) && text != "é"
                }
                let size = TerminalSize(rows: 5, columns: 25)
                showFrames(
                    size, disputes: true,
                    width: { text in
                        if !isDisputed(text) { return DisplayWidth.of(text) }
                        return (salt + text.utf8.reduce(0) { $0 &* 31 &+ Int($1) }) % 5
                    }, leavingOut: isDisputed, using: &random)
            }
        }
    }

    @Test("What is kept of a whole screen is written under the prompt")
    func keeping() {
        let size = TerminalSize(rows: 6, columns: 10)
        var bench = Bench(.whole, size: size, features: TerminalFeatures(), startingIn: 5)
        var grid = CellGrid(rows: 6, columns: 10)
        grid.put(StyledText(escaping: "one"), row: 0, column: 0, width: 10)
        grid.put(StyledText(escaping: "three"), row: 2, column: 2, width: 10)
        _ = bench.show(ScreenFrame(grid: grid))
        bench.terminal.write(bench.writer.leave(keeping: true))
        #expect(
            (0..<6).map { bench.terminal.text(row: $0) } == ["$", "$", "one", "", "  three", ""])
        #expect(bench.terminal.faults == [] && bench.terminal.row == 5)
    }

    @Test("A crash is followed by bytes that take everything back, wherever it was")
    func rescue() {
        for place in [FrameWriter.Place.whole, .below(rows: 3)] {
            var bench = Bench(
                place, size: TerminalSize(rows: 6, columns: 10),
                features: TerminalFeatures(hasSynchronizedOutput: true), startingIn: 1)
            var grid = CellGrid(rows: 3, columns: 10)
            grid.put(
                StyledText(escaping: "one", style: CellStyle(isReversed: true)), row: 1, column: 0,
                width: 10)
            bench.terminal.write(bench.writer.update(to: ScreenFrame(grid: grid)).dropLast(8))
            bench.terminal.write(FrameWriter.rescue(place))
            #expect(bench.terminal.modes == [7, 25] && !bench.terminal.isOtherScreen)
            #expect(bench.terminal.style == .plain && bench.terminal.text(row: 0) == "$")
            #expect(bench.terminal.faults == [])
        }
    }

    @Test("Rows that a narrower terminal has wrapped are gone up, too")
    func wrapped() {
        var writer = FrameWriter(
            .below(rows: 3), size: TerminalSize(rows: 9, columns: 10),
            features: TerminalFeatures())
        _ = writer.enter()
        var grid = CellGrid(rows: 3, columns: 10)
        grid.put(StyledText(escaping: "0123456789"), row: 0, column: 0, width: 10)
        grid.put(StyledText(escaping: "01"), row: 1, column: 0, width: 10)
        let cursor = CellPlace(row: 2, column: 5)
        _ = writer.update(to: ScreenFrame(grid: grid, cursor: cursor))
        // Of four columns, the rows above take 3 and 1, and the cursor is in the second row of its own.
        let bytes = writer.forget(size: TerminalSize(rows: 9, columns: 4))
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("\u{1B}[5A") && text.hasSuffix("\r\u{1B}[J\n\n\u{1B}[2A"))
    }

    @Test("Frames of another size are shown as far as there is room, wide characters whole")
    func misfits() {
        var bench = Bench(
            .whole, size: TerminalSize(rows: 2, columns: 4), features: TerminalFeatures())
        var grid = CellGrid(rows: 3, columns: 9)
        grid.put(StyledText(escaping: "abc漢字"), row: 0, column: 0, width: 9)
        _ = bench.show(ScreenFrame(grid: grid, cursor: CellPlace(row: 7, column: 7)))
        #expect(bench.terminal.text(row: 0) == "abc" && bench.terminal.faults == [])
        #expect(bench.terminal.row == 1 && bench.terminal.column == 3)
        _ = bench.show(ScreenFrame(grid: CellGrid(rows: 0, columns: 0)))
        #expect(bench.terminal.text(row: 0) == "" && bench.terminal.faults == [])
    }

    @Test("Colors that a terminal has not are the nearest that it has, or none")
    func colors() {
        func bytes(_ style: CellStyle, _ features: TerminalFeatures) -> String {
            var writer = FrameWriter(
                .whole, size: TerminalSize(rows: 1, columns: 9), features: features)
            var grid = CellGrid(rows: 1, columns: 9)
            grid.put(StyledText(escaping: "a", style: style), row: 0, column: 0, width: 9)
            return String(decoding: writer.update(to: ScreenFrame(grid: grid)), as: UTF8.self)
        }
        let orange = CellStyle(foreground: .rgb(255, 135, 1), isBold: true)
        #expect(bytes(orange, TerminalFeatures(hasTrueColor: true)) == "\u{1B}[1;38;2;255;135;1ma")
        #expect(bytes(orange, TerminalFeatures()) == "\u{1B}[1;38;5;208ma")
        #expect(bytes(orange, TerminalFeatures(hasColor: false)) == "\u{1B}[1ma")
        let gray = CellStyle(background: .rgb(19, 18, 17))
        #expect(bytes(gray, TerminalFeatures()) == "\u{1B}[48;5;233ma")
        #expect(bytes(gray, TerminalFeatures(hasColor: false)) == "a")
        #expect(bytes(CellStyle(foreground: .indexed(12)), TerminalFeatures()) == "\u{1B}[94ma")
        let few = TerminalFeatures(hasTrueColor: true, hasManyColors: false)
        #expect(bytes(orange, few) == "\u{1B}[1;93ma")
        #expect(bytes(CellStyle(background: .indexed(17)), few) == "\u{1B}[44ma")
        #expect(bytes(CellStyle(foreground: .indexed(240)), few) == "\u{1B}[90ma")
        #expect(bytes(CellStyle(foreground: .indexed(3)), few) == "\u{1B}[33ma")
    }

    @Test("A style follows another one by the shortest sequence")
    func styles() {
        func sequence(_ first: CellStyle, _ second: CellStyle) -> String {
            var text = StyledText(escaping: "a", style: first)
            text.append(escaping: "b", style: second)
            var grid = CellGrid(rows: 1, columns: 9)
            grid.put(text, row: 0, column: 0, width: 9)
            var writer = FrameWriter(
                .whole, size: TerminalSize(rows: 1, columns: 9),
                features: TerminalFeatures(hasTrueColor: true))
            let bytes = writer.update(to: ScreenFrame(grid: grid))
            let output = String(decoding: bytes, as: UTF8.self)
            return String(output.split(separator: "a")[1].dropLast())
        }
        let red = TerminalColor.indexed(1)
        let color = TerminalColor.rgb(1, 2, 3)
        let pairs: [(CellStyle, CellStyle, String)] = [
            (CellStyle(foreground: red, isBold: true), .plain, "\u{1B}[m"),
            (CellStyle(foreground: red, isBold: true), CellStyle(foreground: red), "\u{1B}[22m"),
            (CellStyle(foreground: red), CellStyle(foreground: color), "\u{1B}[38;2;1;2;3m"),
            (
                CellStyle(foreground: color, isUnderlined: true),
                CellStyle(foreground: color, isItalic: true), "\u{1B}[3;24m"
            ),
            (CellStyle(isUnderlined: true), CellStyle(isItalic: true), "\u{1B}[0;3m"),
            (
                CellStyle(foreground: color, isBold: true, isDim: true),
                CellStyle(foreground: color, isBold: true), "\u{1B}[22;1m"
            ),
            (
                CellStyle(foreground: color, isBold: true),
                CellStyle(foreground: color, isDim: true), "\u{1B}[22;2m"
            ),
            (
                CellStyle(background: .indexed(12)),
                CellStyle(background: .indexed(12), isReversed: true), "\u{1B}[7m"
            ),
            (
                CellStyle(background: .indexed(12), isStruckOut: true),
                CellStyle(background: .indexed(200), isStruckOut: true), "\u{1B}[48;5;200m"
            ),
        ]
        for (first, second, expected) in pairs { #expect(sequence(first, second) == expected) }
    }
}
