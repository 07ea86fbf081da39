import FileRules
import Testing

@Suite struct PatternLimitsTests {
    private func matches(_ patterns: IgnorePatterns, _ path: String) -> Bool {
        patterns.match(path: Array(path.utf8)[...], isFolder: false) != nil
    }

    @Test("patterns up to the greatest number are read, those after it are not")
    func count() {
        let lines = (1...IgnorePatterns.maxCount).map { "n\($0)\n#\n[\n" }.joined()
        let full = IgnorePatterns(parsing: Array(lines.utf8))
        #expect(full.count == IgnorePatterns.maxCount && !full.isCut)
        #expect(matches(full, "n\(IgnorePatterns.maxCount)"))
        // Neither a comment nor a pattern that matches nothing is one more.
        let stillFull = IgnorePatterns(parsing: Array((lines + "# x\n[\n").utf8))
        #expect(stillFull.count == IgnorePatterns.maxCount && !stillFull.isCut)
        let cut = IgnorePatterns(parsing: Array((lines + "x").utf8))
        #expect(cut.count == IgnorePatterns.maxCount && cut.isCut)
        #expect(matches(cut, "n1") && !matches(cut, "x"))
    }

    @Test("a text of the greatest length is read, of a longer one the whole lines")
    func textLength() {
        let comment = String(repeating: "#", count: IgnorePatterns.maxTextLength - 6)
        let full = IgnorePatterns(parsing: Array("\(comment)\nx\nabc".utf8))
        #expect(full.count == 2 && !full.isCut && matches(full, "abc"))
        // The line "abc" is whole within the limit, "abcd" is not.
        let cut = IgnorePatterns(parsing: Array("\(comment)\nx\nabc\nd".utf8))
        #expect(cut.count == 2 && cut.isCut && matches(cut, "abc"))
        let within = IgnorePatterns(parsing: Array("\(comment)\nx\nabcd".utf8))
        #expect(within.count == 1 && within.isCut)
        #expect(matches(within, "x") && !matches(within, "abc") && !matches(within, "abcd"))
        let oneLine = Array(repeating: UInt8(ascii: "a"), count: IgnorePatterns.maxTextLength + 1)
        #expect(IgnorePatterns(parsing: oneLine).isEmpty && IgnorePatterns(parsing: oneLine).isCut)
    }

    @Test("a pattern of the greatest length is read, a longer one is left out")
    func patternLength() {
        let longest = String(repeating: "a", count: IgnorePatterns.maxPatternLength)
        let full = IgnorePatterns(parsing: Array("\(longest)  \nx".utf8))
        #expect(full.count == 2 && !full.isCut && matches(full, longest))
        let cut = IgnorePatterns(parsing: Array("\(longest)a\nx".utf8))
        #expect(cut.count == 1 && cut.isCut && matches(cut, "x") && !matches(cut, "\(longest)a"))
    }

    @Test("no pattern takes more steps than its length times that of the path")
    func steps() {
        let name = String(repeating: "a", count: 255)
        let path = Array(repeating: "a", count: 2000).joined(separator: "/")
        let long = Array(repeating: name, count: 16).joined(separator: "/")
        let patterns = [
            String(repeating: "*a", count: 1000) + "b",
            String(repeating: "a*", count: 1000) + "b*c",
            String(repeating: "**/a/", count: 400) + "b",
            String(repeating: "a/**/", count: 400) + "b",
            String(repeating: "**/*a*/", count: 300) + "*b",
            "**/" + String(repeating: "a/", count: 999) + "b/a",
            "**/" + String(repeating: "*/", count: 900) + "[b]", "/*a*a*a*a*b/**/*a*b/*a",
            String(repeating: "*[a-c]?", count: 500) + "[d]",
            String(repeating: "**/*a*a*b/", count: 90) + "?",
            "**/" + String(repeating: "a", count: 254) + "b/**/*",
        ]
        var greatest = 0.0
        for pattern in patterns {
            for text in [name, path, long] {
                var steps = 0
                let compiled = IgnorePatterns(parsing: Array(pattern.utf8))
                #expect(compiled.count == 1)
                _ = compiled.match(path: Array(text.utf8)[...], isFolder: true, steps: &steps)
                let most = (pattern.utf8.count + 1) * (text.utf8.count + 1)
                #expect(steps <= most, "\(pattern.prefix(30)) \(text.prefix(10))")
                greatest = max(greatest, Double(steps) / Double(most))
            }
        }
        // Otherwise the patterns are too easy to show anything.
        #expect(greatest > 0.1)
    }

    @Test("plain names and plain ends are not tried one after the other")
    func plainSteps() {
        let lines = (0..<3000).map { "n\($0)\n*.e\($0)\n/d\($0)/f\($0)\n" }.joined()
        let patterns = IgnorePatterns(parsing: Array(lines.utf8))
        for (path, line) in [("x/n7", 22), ("x.e2999", 8999), ("d3/f3", 12), ("x/y.txt", nil)] {
            var steps = 0
            let match = patterns.match(
                path: Array(path.utf8)[...], isFolder: false, steps: &steps)
            #expect(match?.line == line)
            #expect(steps < 20)
        }
    }

    @Test("a name that many patterns have: those that are overridden are not tried")
    func overridden() {
        for line in ["a\n", "a/\n", "!a\na/\n", "*.c\n", "*.c/\n"] {
            let text = String(repeating: line, count: 1000)
            let patterns = IgnorePatterns(parsing: Array(text.utf8))
            var steps = 0
            for path in ["x/a", "x/y.c"] {
                _ = patterns.match(path: Array(path.utf8)[...], isFolder: false, steps: &steps)
            }
            #expect(steps < 10, "\(line)")
        }
    }
}
