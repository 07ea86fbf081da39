import ArgumentParser
import PickerClient
import SystemInterface
import TerminalCells

struct StatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Say how many documents there are, how large, and from when.",
        discussion: """
            Of all documents, or of those that QUERY selects, as for 'pickerctl list'. Sums and means \
            are exact: a mean is rounded once, to the nearest byte or nanosecond. With --attribute also \
            what a plugin has found out about them, once it has read them, or after ten seconds.
            """)

    @Argument(
        help: ArgumentHelp(
            "Which documents, as 'report type:pdf size:>1M'. See pickerctl(1).", valueName: "query")
    )
    var words: [String] = []
    @OptionGroup var matching: MatchOptions
    @OptionGroup var drawn: CollectionOptions
    @OptionGroup var folders: FolderOptions
    @Option(
        help: ArgumentHelp(
            "Also the values of an attribute, as image.width.", valueName: "name"))
    var attribute: String?
    @Flag(help: "JSON: the daemon's own answer, on one line.")
    var json = false
    @OptionGroup var common: CommonOptions

    func run() throws {
        var query = try ListQuery(text: words.joined(separator: " "))
        try matching.apply(to: &query)
        drawn.apply(to: &query)
        let connection = try common.connect()
        try folders.open(on: connection, for: &query)
        if json {
            let answer = connection.send(
                DaemonRequest<DocumentStats>.stats(query, attribute: attribute).asSent)
            try Output.standard.writeJSON(try answer.wait().text)
            return
        }
        let stats = try connection.ask(.stats(query, attribute: attribute))
        for line in lines(stats) { try Output.standard.writeLine(line) }
        for (name, count) in stats.pending.sorted(by: { $0.key < $1.key }) {
            Program.complain("\(VisibleText.escaping(name)) of \(count) documents is not known yet")
        }
    }

    private func lines(_ stats: DocumentStats) -> [String] {
        var table = Table([Table.Column(paint: common.palette.dim), Table.Column()])
        table.add(["documents", "\(stats.count)"])
        table.add(["size", Self.text(stats.size.sum)])
        if let mean = stats.size.mean, let min = stats.size.min, let max = stats.size.max {
            table.add(["  mean", Self.text(UInt128(mean))])
            table.add(["  least", Self.text(UInt128(min))])
            table.add(["  greatest", Self.text(UInt128(max))])
        }
        let dates = DateText(now: SystemClock.wallSeconds())
        func text(_ seconds: Double) -> String { "\(dates.text(seconds)) (\(dates.time(seconds)))" }
        if let mean = stats.modified.mean, let min = stats.modified.min,
            let max = stats.modified.max
        {
            table.add(["modified, mean", text(mean)])
            table.add(["  first", text(min)])
            table.add(["  last", text(max)])
        }
        if let values = stats.values { add(values, to: &table, text) }
        return table.lines()
    }

    private func add(
        _ values: DocumentStats.AttributeValues, to table: inout Table,
        _ date: (Double) -> String
    ) {
        let count = values.count == 1 ? "1 document" : "\(values.count) documents"
        table.add([VisibleText.escaping(values.name), count])
        func text(_ value: Double) -> String {
            values.areTimes ? date(value) : Self.number(value)
        }
        if values.count > 0, let sum = values.sum { table.add(["  sum", sum]) }
        if let mean = values.mean { table.add(["  mean", text(mean)]) }
        if let min = values.min { table.add([values.areTimes ? "  first" : "  least", text(min)]) }
        if let max = values.max {
            table.add([values.areTimes ? "  last" : "  greatest", text(max)])
        }
    }

    /// Whole numbers without a point.
    private static func number(_ value: Double) -> String {
        Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }

    /// For people, with the exact bytes.
    private static func text(_ bytes: UInt128) -> String {
        let short = SizeText.text(Int64(clamping: bytes))
        return bytes < 1000 ? short : "\(short) (\(bytes) bytes)"
    }
}
