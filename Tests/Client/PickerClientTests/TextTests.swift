import PickerClient
import TerminalCells
import TestSupport
import Testing
import pickerctl

@Suite struct DateTextTests {
    /// Friday, 15 March 2024, 10:30:00 UTC.
    private static let now = 1_710_498_600.0

    @Test(
        "Dates are in words",
        arguments: [
            (0, "just now"), (59, "just now"), (60, "1 min ago"), (300, "5 min ago"),
            (3599, "59 min ago"), (3600, "today 09:30"), (37_800, "today 00:00"),
            (37_801, "yesterday 23:59"), (73_680, "yesterday 14:02"),
            (124_201, "13 Mar"), (259_200, "12 Mar"), (6_431_400, "1 Jan"),
            (6_431_401, "2023-12-31"), (-30, "just now"), (-3600, "today 11:30"),
            (-86_400, "16 Mar"),
        ] as [(Double, String)])
    func relative(_ age: Double, _ expected: String) {
        #expect(DateText(now: Self.now, zone: .utc).text(Self.now - age) == expected)
    }

    @Test("The clock style stays true within the day")
    func clock() {
        let dates = DateText(now: Self.now, zone: .utc, style: .clock)
        #expect(dates.text(Self.now) == "today 10:30")
        #expect(dates.text(Self.now - 300) == "today 10:25")
        #expect(dates.text(Self.now - 86_400) == "yesterday 10:30")
    }

    @Test("Invalid and extreme times are handled")
    func ends() {
        let dates = DateText(now: Self.now, zone: .utc)
        #expect(dates.text(.nan) == "?")
        #expect(dates.text(-.infinity) == "?")
        #expect(dates.text(0) == "1970-01-01")
        #expect(dates.text(-1e18).hasPrefix("69") || dates.text(-1e18).hasPrefix("68"))
        #expect(!dates.text(1e18).isEmpty)
        #expect(dates.time(Self.now - 1) == "10:29:59")
        #expect(dates.time(0) == "1970-01-01 00:00:00")
    }

    @Test("Days begin in the local time zone")
    func zone() async {
        await #expect(processExitsWith: .success) {
            setEnvironment("TZ", "XYZ-05:45")
            let dates = DateText(now: 1_710_498_600)
            // 16:15 there; 16:30 earlier was the day before.
            precondition(dates.text(1_710_498_600 - 7200) == "today 14:15")
            precondition(dates.text(1_710_498_600 - 59_400) == "yesterday 23:45")
        }
    }
}

@Suite struct SizeTextTests {
    @Test(
        "Sizes have two or three digits",
        arguments: [
            (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1249, "1.2 kB"), (1250, "1.3 kB"),
            (9949, "9.9 kB"), (9950, "10 kB"), (12_345, "12 kB"), (999_499, "999 kB"),
            (999_500, "1.0 MB"), (1_234_567, "1.2 MB"), (34_000_000_000, "34 GB"),
            (Int64.max, "9.2 EB"), (-1, "?"),
        ] as [(Int64, String)])
    func sizes(_ bytes: Int64, _ expected: String) {
        #expect(SizeText.text(bytes) == expected)
    }

    @Test("Durations keep their significant parts")
    func durations() {
        #expect(DurationText.text(42.9) == "42 s")
        #expect(DurationText.text(301) == "5 min")
        #expect(DurationText.text(12_000) == "3 h 20 min")
        #expect(DurationText.text(1_036_800) == "12 days")
        #expect(DurationText.text(-.infinity) == "?")
    }
}

@Suite struct VisibleTextTests {
    @Test(
        "Control characters are escaped",
        arguments: [
            ("plain.md", "plain.md"), ("a\nb", "a\\nb"), ("a\\nb", "a\\\\nb"),
            ("\u{1b}[31mred", "\\x1b[31mred"), ("tab\t", "tab\\t"), ("\u{7f}", "\\x7f"),
            ("\u{9b}2J", "\\x9b2J"), ("exe\u{202e}txt", "exe\\u{202e}txt"),
            ("a\u{2028}b", "a\\u{2028}b"), ("\u{0}", "\\x00"), ("日本語 é", "日本語 é"),
            ("👩‍👩‍👧", "👩‍👩‍👧"), ("\u{feff}x", "\\u{feff}x"), ("\r\n", "\\r\\n"),
        ])
    func escapes(_ text: String, _ expected: String) {
        #expect(VisibleText.escaping(text) == expected)
    }

    @Test("JSON keeps its own backslashes")
    func json() {
        #expect(VisibleText.escaping(json: #"{"a":"x\ny"}"#) == #"{"a":"x\ny"}"#)
        #expect(VisibleText.escaping(json: "\"\u{202e}\"") == "\"\\u{202e}\"")
    }

    @Test("No control character is left in any text")
    func random() {
        withSeed { random in
            for _ in 0..<2000 {
                var text = ""
                for _ in 0..<8 {
                    let value = UInt32.random(in: 0...0x2FFF, using: &random)
                    if let scalar = Unicode.Scalar(value) { text.unicodeScalars.append(scalar) }
                }
                let visible = VisibleText.escaping(text)
                #expect(
                    visible.unicodeScalars.allSatisfy {
                        $0.properties.generalCategory != .control && $0 != "\u{202E}"
                    })
            }
        }
    }
}

@Suite struct DisplayWidthTests {
    @Test(
        "Columns are counted as terminals draw",
        arguments: [
            ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("ｆｕ", 4), ("한글", 4),
            ("\u{1112}\u{1161}\u{11ab}", 2), ("😀", 2), ("❤️", 2), ("👩‍👩‍👧", 2), ("🇩🇪", 2),
            ("ｱ", 1), ("±", 1), ("नि", 1), ("\u{fffd}", 1), ("…", 1), ("𠀀", 2), ("　", 2),
        ])
    func widths(_ text: String, _ expected: Int) {
        #expect(DisplayWidth.of(text) == expected)
    }

    @Test("Truncated text fits its width, and wide characters are not halved")
    func truncating() {
        #expect(DisplayWidth.truncating("abcdef", to: 6) == "abcdef")
        #expect(DisplayWidth.truncating("abcdef", to: 5) == "abcd…")
        #expect(DisplayWidth.truncating("日本語", to: 5) == "日本…")
        #expect(DisplayWidth.truncating("日本語", to: 4) == "日…")
        #expect(DisplayWidth.truncating("abc", to: 1) == "…")
        #expect(DisplayWidth.truncating("abc", to: 0) == "")
        #expect(DisplayWidth.padding("日", to: 4) == "日  ")
        #expect(DisplayWidth.padding("日", to: 4, inFront: true) == "  日")
    }
}

@Suite struct TableTests {
    @Test("Columns are aligned for any content")
    func columns() {
        var table = Table([Table.Column(), Table.Column(rightAligned: true), Table.Column()])
        table.add(["日本", "1 B", "x"])
        table.add(["a", "12 kB", "y"])
        #expect(table.lines() == ["日本    1 B  x", "a     12 kB  y"])
    }

    @Test("Colour takes no columns")
    func colour() {
        let palette = Palette(isOn: true)
        var table = Table([Table.Column(paint: palette.dim), Table.Column()])
        table.add(["a", "b"])
        table.add(["long", "c"])
        #expect(table.lines() == ["\u{1b}[2ma\u{1b}[0m     b", "\u{1b}[2mlong\u{1b}[0m  c"])
        #expect(Palette(isOn: false).dim("x") == "x")
    }

    @Test("Marked parts are painted, take no columns, and end where the text is truncated")
    func marks() {
        let palette = Palette(isOn: true)
        func line(_ text: String, _ ranges: [Range<Int>], limit: Int? = nil) -> String {
            var table = Table([
                Table.Column(flexible: true, paint: palette.dim, mark: palette.bold),
                Table.Column(),
            ])
            table.add([MarkedText(escaping: text, marking: ranges), MarkedText("x")])
            return table.lines(limit: limit)[0]
                .replacing("\u{1b}[1m", with: "<").replacing("\u{1b}[2m", with: "(")
                .replacing("\u{1b}[0m", with: "|")
        }
        #expect(line("report", []) == "(report|  x")
        #expect(line("report", [0..<3]) == "<rep|(ort|  x")
        #expect(line("report", [1..<2, 4..<6]) == "(r|<e|(po|<rt|  x")
        #expect(line("report", [0..<6]) == "<report|  x")
        #expect(line("report", [2..<2, 3..<4]) == "(rep|<o|(rt|  x")
        // Behind the end there is nothing to mark, and a name without letters has no parts.
        #expect(line("ab", [1..<9]) == "(a|<b|  x")
        #expect(line("", [0..<1]) == "  x")
        #expect(line("report", [0..<6], limit: 7) == "<rep|(…|  x")
        #expect(line("report", [4..<6], limit: 7) == "(rep…|  x")
        // Characters are marked as a whole, and what is made visible like what it stands for.
        #expect(line("日本語", [3..<6]) == "(日|<本|(語|  x")
        #expect(line("e\u{301}a", [0..<1]) == "<e\u{301}|(a|  x")
        #expect(line("a\nb", [1..<2]) == "(a|<\\n|(b|  x")
        #expect(line("a\u{1b}b", [2..<3]) == "(a\\x1b|<b|  x")
    }

    @Test("Without colour marked text is plain text, however it is truncated")
    func unmarked() {
        withSeed { random in
            let pieces = [
                "a", "B", "é", "e\u{301}", "日", "👩‍👩‍👧", "\n", " ", "\u{202e}", "\u{0600}",
            ]
            for _ in 0..<1000 {
                let text = (0..<Int.random(in: 0...9, using: &random))
                    .map { _ in pieces.randomElement(using: &random) ?? "a" }.joined()
                let start = Int.random(in: 0...12, using: &random)
                let end = start + Int.random(in: 0...9, using: &random)
                let marked = MarkedText(escaping: text, marking: [start..<end])
                #expect(marked.text == VisibleText.escaping(text))
                let shown = DisplayWidth.truncating(
                    marked.text, to: Int.random(in: 0...12, using: &random))
                #expect(marked.painting(shown, { $0 }, mark: { $0 }) == shown)
            }
        }
    }

    @Test("No line exceeds the limit, and flexible columns are truncated first")
    func limit() {
        for limit in 0...60 {
            var table = Table([
                Table.Column(flexible: true), Table.Column(rightAligned: true),
                Table.Column(flexible: true),
            ])
            table.add([String(repeating: "日", count: 20), "12 kB", "folder/of/mine/"])
            let line = table.lines(limit: limit)[0]
            #expect(DisplayWidth.of(line) <= max(limit, 4), "limit \(limit)")
            if limit >= 25 { #expect(line.contains("12 kB"), "limit \(limit)") }
        }
    }
}

@Suite struct ScreenRegionTests {
    /// As much of a terminal as the region uses: rows that scroll, and a cursor.
    private struct Screen {
        let rows: Int
        let columns: Int
        var lines: [[Character]]
        var row = 0
        var column = 0

        init(rows: Int, columns: Int) {
            self.rows = rows
            self.columns = columns
            lines = Array(repeating: [], count: rows)
        }

        mutating func take(_ text: String) {
            var rest = Array(text.unicodeScalars)[...]
            while let scalar = rest.popFirst() {
                switch scalar {
                case "\r": column = 0
                case "\n":
                    row += 1
                    if row == rows {
                        lines.removeFirst()
                        lines.append([])
                        row = rows - 1
                    }
                case "\u{1b}":
                    precondition(rest.popFirst() == "[")
                    var number = 0
                    while let digit = rest.first?.properties.numericType, digit == .decimal {
                        number = number * 10 + Int(rest.removeFirst().value) - 48
                    }
                    switch rest.popFirst() {
                    case "A": row = max(0, row - max(1, number))
                    case "K": lines[row] = Array(lines[row].prefix(column))
                    case "J":
                        lines[row] = Array(lines[row].prefix(column))
                        for index in lines.indices where index > row { lines[index] = [] }
                    case "m": break
                    default: preconditionFailure("a sequence that this screen has not")
                    }
                default:
                    precondition(column < columns, "a line is folded")
                    while lines[row].count <= column { lines[row].append(" ") }
                    lines[row][column] = Character(scalar)
                    column += 1
                }
            }
        }

        var text: [String] { lines.map { String($0) } }
    }

    @Test("Only changed lines are written")
    func minimal() {
        var region = ScreenRegion()
        _ = region.update(to: ["title", "a", "b"])
        #expect(region.update(to: ["title", "a", "b"]) == "")
        #expect(region.update(to: ["title", "x", "b"]) == "\u{1b}[1A\rx\u{1b}[K\n")
        #expect(region.leave() == "\r\n")
    }

    @Test("After any updates the screen ends with the lines, below earlier output")
    func random() {
        withSeed { random in
            var screen = Screen(rows: 12, columns: 20)
            screen.take("before\r\n")
            var region = ScreenRegion()
            for _ in 0..<500 {
                let count = Int.random(in: 0...10, using: &random)
                let lines = (0..<count).map { _ in
                    String(repeating: "ab", count: Int.random(in: 0...9, using: &random))
                }
                screen.take(region.update(to: lines))
                let shown = screen.text
                guard let top = shown.firstIndex(of: "before") else {
                    // It has scrolled away, as it should: the region reached the bottom once.
                    #expect(shown.contains { $0 == lines.first ?? "" })
                    break
                }
                #expect(Array(shown[(top + 1)...].prefix(count)) == lines)
                #expect(shown[(top + 1 + count)...].allSatisfy { $0.isEmpty })
            }
            screen.take(region.clear(columns: 20))
            #expect(screen.text.filter { !$0.isEmpty } == ["before"])
        }
    }

    @Test("A bar of a scan is as wide as there is room, and full at the end only")
    func scanBar() {
        let plain = Palette(isOn: false)
        #expect(
            ScanBar.line(folders: 3, waiting: 1, columns: 30, plain)
                == "[" + "#########..." + "]  3 of 4 folders")
        for columns in 0...100 {
            for (folders, waiting) in [(0, 0), (0, 1), (1, 0), (130, 40), (999, 1), (7, -9)] {
                let line = ScanBar.line(
                    folders: folders, waiting: waiting, columns: columns, plain)
                #expect(DisplayWidth.of(line) <= columns, "\(line)")
                let isFull = line.hasPrefix("[") && !line.contains(".")
                #expect(!isFull || waiting == 0, "\(line)")
            }
        }
        let painted = ScanBar.line(
            folders: 1, waiting: 1, columns: 60, Palette(isOn: true))
        #expect(painted.contains("\u{1b}[32m"))
        #expect(ScanBar.line(folders: .max, waiting: 1, columns: 80, plain).hasSuffix("folders"))
    }
}
