import ArgumentParser
import PickerClient
import SystemInterface

struct StatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Say how many documents there are, how large, and from when.",
        discussion: """
            Of all documents, or of those that QUERY selects, as for 'pickerctl list'. Sums and means \
            are exact: a mean is rounded once, to the nearest byte or nanosecond.
            """)

    @Argument(
        help: ArgumentHelp(
            "Which documents, as 'report type:pdf size:>1M'. See pickerctl(1).", valueName: "query"),
        completion: .list(Completions.queryWords))
    var words: [String] = []
    @OptionGroup var matching: MatchOptions
    @OptionGroup var drawn: CollectionOptions
    @OptionGroup var folders: FolderOptions
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
            let answer = connection.send(DaemonRequest<DocumentStats>.stats(query).asSent)
            try Output.standard.writeJSON(try answer.wait().text)
            return
        }
        let stats = try connection.ask(.stats(query))
        for line in lines(stats) { try Output.standard.writeLine(line) }
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
        return table.lines()
    }

    /// For people, with the exact bytes.
    private static func text(_ bytes: UInt128) -> String {
        let short = SizeText.text(Int64(clamping: bytes))
        return bytes < 1000 ? short : "\(short) (\(bytes) bytes)"
    }
}
