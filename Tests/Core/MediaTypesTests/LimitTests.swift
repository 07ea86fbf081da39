import MediaTypes
import Testing

@Suite struct LimitTests {
    @Test(
        "a line that is not of the format is left out and counted",
        arguments: [
            ("50:a/b:*.x", true), ("0:a/b:*.x", true), ("100:a/b:*.x", true),
            ("050:a/b:*.x", true), ("101:a/b:*.x", false), ("0050:a/b:*.x", false),
            (":a/b:*.x", false), ("-1:a/b:*.x", false), ("5a:a/b:*.x", false),
            (" 50:a/b:*.x", false), ("50:a/b", false), ("50", false), ("a/b:*.x", false),
            ("50::*.x", false), ("50:a:*.x", false), ("50:/b:*.x", false), ("50:a/:*.x", false),
            ("50:a/b/c:*.x", false), ("50:a b/c:*.x", false), ("50:ä/c:*.x", false),
            ("50:a/b:*.x\0", false), ("50:a/b:*.x:c\0s", false),
        ])
    func lines(line: String, isGood: Bool) {
        let table = MediaTypeTable(["50:a/before:*.y\n\(line)\n50:a/after:*.z"])
        #expect(table.leftOut.malformed == (isGood ? 0 : 1))
        #expect(table.leftOut.total == table.leftOut.malformed)
        #expect(table.type("a.x") == (isGood ? "a/b" : octets))
        #expect(table.type("a.y") == "a/before")
        #expect(table.type("a.z") == "a/after")
    }

    @Test("bytes that are not UTF-8 spoil their line only")
    func encoding() {
        let list = Array("50:a/b:*.x".utf8) + [0xC3, 0x0A] + Array("50:a/b:*.y\n".utf8)
        let table = MediaTypeTable(MediaTypeTable.Files(globs: [list]), fallback: "")
        #expect(table.leftOut.malformed == 1)
        #expect(table.type("a.y") == "a/b")
    }

    @Test("lines, patterns and types have a greatest length")
    func lengths() {
        func line(_ count: Int) -> String {
            let start = "50:a/b:*.x:"
            return start + String(repeating: "y", count: count - start.utf8.count)
        }
        #expect(MediaTypeTable([line(1024)]).leftOut.total == 0)
        #expect(MediaTypeTable([line(1025)]).leftOut.tooLong == 1)
        #expect(MediaTypeTable(["#" + line(1025)]).leftOut.total == 0)

        let end = String(repeating: "x", count: 253)
        #expect(MediaTypeTable(["50:a/b:*.\(end)"]).type("a." + end) == "a/b")
        #expect(MediaTypeTable(["50:a/b:*.x\(end)"]).leftOut.malformed == 1)

        #expect(MediaTypeTable(["50:a/\(end):*.x"]).type("a.x") == "a/" + end)
        #expect(MediaTypeTable(["50:a/x\(end):*.x"]).leftOut.malformed == 1)
    }

    @Test("a file is read up to 4 MiB")
    func fileSize() {
        let limit = 4 << 20
        let last = "50:a/last:*.last\n"
        let comment = "#" + String(repeating: "x", count: limit - last.utf8.count - 2) + "\n"
        let whole = MediaTypeTable([comment + last])
        #expect(whole.type("a.last") == "a/last")
        #expect(whole.leftOut.total == 0)
        // One byte more cuts the line.
        let cut = MediaTypeTable(["x:\n" + comment + last + last + "50:a/more:*.more"])
        #expect(cut.type("a.last") == octets)
        #expect(cut.leftOut.beyondLimit == 3)
        #expect(cut.leftOut.malformed == 1)
        let oneLine = MediaTypeTable([String(repeating: "x", count: limit + 1)])
        #expect(oneLine.leftOut.beyondLimit == 1)
        #expect(oneLine.leftOut.tooLong == 0)
    }

    @Test("a table holds 50,000 globs of 50,000 types, each with its place")
    func globs() {
        let limit = MediaTypeTable.globLimit
        var list = ""
        for number in 0..<limit { list += "50:a/t\(number):*.s\(number)\n" }
        let full = MediaTypeTable([list])
        #expect(full.leftOut.total == 0)
        #expect(full.texts.count == limit + 2)
        for number in stride(from: 0, to: limit, by: 997) {
            #expect(full.type("x.s\(number)") == "a/t\(number)")
        }
        #expect(full.type("x.s\(limit - 1)") == "a/t\(limit - 1)")
        let over = MediaTypeTable([list, "50:a/more:*.more"], fallback: "a/fallback ab")
        #expect(over.leftOut.beyondLimit == 2)
        #expect(over.type("x.more") == octets)
        #expect(over.type("x.ab") == octets)
    }

    @Test("icons and aliases have a limit too")
    func names() {
        var icons = ""
        for number in 0..<50_000 { icons += "a/t\(number):icon\n" }
        func leftOut(_ list: String) -> LeftOut {
            MediaTypeTable(
                MediaTypeTable.Files(icons: [Array(list.utf8)]), fallback: "a/more x"
            ).leftOut
        }
        #expect(leftOut(icons).total == 0)
        #expect(leftOut(icons + "a/t0:again\na/more:icon").beyondLimit == 1)
    }

    @Test("64 globs may be odd, of 64 steps each")
    func odds() {
        let list = (0..<64).map { "50:a/t\($0):x*\($0)y" }.joined(separator: "\n")
        let full = MediaTypeTable([list])
        #expect(full.leftOut.total == 0)
        for number in 0..<64 { #expect(full.type("x-\(number)y") == "a/t\(number)") }
        let over = MediaTypeTable([list + "\n50:a/more:x*more"])
        #expect(over.leftOut.beyondLimit == 1)
        #expect(over.type("xmore") == octets)

        let steps = String(repeating: "x", count: 62)
        #expect(MediaTypeTable(["50:a/b:?*\(steps)"]).type("a" + steps) == "a/b")
        #expect(MediaTypeTable(["50:a/b:?*\(steps)x"]).leftOut.beyondLimit == 1)
    }

    @Test("a pattern may be there in eight cases")
    func cases() {
        let cases = ["abcd", "Abcd", "aBcd", "abCd", "abcD", "ABcd", "AbCd", "AbcD", "aBCd"]
        func list(_ count: Int) -> String {
            cases.prefix(count).map { "50:a/\($0):*.\($0):cs" }.joined(separator: "\n")
        }
        let full = MediaTypeTable([list(8)])
        #expect(full.leftOut.total == 0)
        for name in cases.prefix(8) { #expect(full.type("x." + name) == "a/" + name) }
        #expect(MediaTypeTable([list(9)]).leftOut.beyondLimit == 1)
        // The same again takes no place; nor does what any case comes before.
        #expect(MediaTypeTable([list(8) + "\n40:a/b:*.abcd:cs"]).leftOut.total == 0)
        #expect(MediaTypeTable(["60:a/b:*.ABCD\n" + list(9)]).leftOut.total == 0)
        #expect(MediaTypeTable(["60:a/b:*.ABCD\n" + list(9)]).type("x.aBcd") == "a/b")
    }

    @Test("of patterns made to have one hash, 64 are found")
    func collisions() {
        // A byte and the one 64 places on turn alike in the hash, so swapping them leaves it as it is.
        let keys = (0..<65).map { number -> String in
            var bytes = [UInt8](repeating: 0x61, count: 64) + [UInt8](repeating: 0x62, count: 64)
            for bit in 0..<7 where number >> bit & 1 != 0 { bytes.swapAt(bit, bit + 64) }
            return String(decoding: bytes, as: UTF8.self)
        }
        func list(_ count: Int) -> String {
            keys.prefix(count).enumerated().map { "50:a/t\($0):*\($1)" }.joined(separator: "\n")
        }
        let full = MediaTypeTable([list(64)])
        #expect(full.leftOut.total == 0)
        for (number, key) in keys.prefix(64).enumerated() {
            #expect(full.type("x" + key) == "a/t\(number)")
        }
        #expect(full.type("x" + keys[64]) == octets)
        #expect(MediaTypeTable([list(65)]).leftOut.beyondLimit == 1)
    }
}
