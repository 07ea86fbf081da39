internal import TerminalCells

/// Prints the results of checks in the Test Anything Protocol, each as soon as it is known.
struct TapReport {
    private(set) var passed = 0
    private(set) var failed = 0
    private(set) var skipped = 0

    var text: String {
        "\(passed) passed, \(failed) failed" + (skipped > 0 ? ", \(skipped) skipped" : "")
    }

    mutating func pass(_ name: String) throws(OutputError) {
        passed += 1
        try say("ok \(number) - \(Self.escaped(name))")
    }

    /// A check that failed, and what was wrong.
    mutating func fail(_ name: String, _ why: String) throws(OutputError) {
        failed += 1
        try say("not ok \(number) - \(Self.escaped(name))")
        try note(why)
    }

    mutating func skip(_ name: String, _ why: String) throws(OutputError) {
        skipped += 1
        try say("ok \(number) - \(Self.escaped(name)) # SKIP \(VisibleText.escaping(why))")
    }

    func note(_ text: String) throws(OutputError) {
        for line in text.split(separator: "\n") {
            try say("# " + VisibleText.escaping(String(line)))
        }
    }

    func finish() throws(OutputError) {
        try say("1..\(number)")
        try say("# \(text)")
    }

    private var number: Int { passed + failed + skipped }

    private func say(_ line: String) throws(OutputError) {
        try Output.standard.writeLine(line)
        try Output.standard.flush()
    }

    /// Without what the protocol takes for a directive.
    private static func escaped(_ name: String) -> String {
        VisibleText.escaping(name).replacing("#", with: "\\#")
    }
}
