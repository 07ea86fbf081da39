import ArgumentParser
import PickerClient
import TerminalCells

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Say how the daemon is doing.")

    @Flag(help: "JSON: the daemon's own answer, on one line.")
    var json = false
    @OptionGroup var common: CommonOptions

    func run() throws {
        let connection = try common.connect()
        let greeting = connection.send(.hello(client: "pickerctl"))
        if json {
            let answer = connection.send(.raw("daemon.info"))
            _ = try greeting.wait()
            try Output.standard.writeJSON(try answer.wait().text)
            return
        }
        let answer = connection.send(.info)
        let hello = try greeting.wait()
        let status = try answer.wait()
        if Terminal.output.canRedraw, ScanProgress(of: status.roots) != nil {
            try follow(connection, hello, status)
        } else {
            for line in try lines(hello, status) { try Output.standard.writeLine(line) }
        }
        if hello.isOlderThanClient {
            try Output.standard.flush()
            Program.complain(
                "warning: the daemon (\(hello.server)) is older than this pickerctl "
                    + "(\(ClientVersion.text)); restart it to have what is new")
        }
    }

    /// Shows the status with a bar for each root that is being read, four times a second until none is.
    private func follow(
        _ connection: PickerConnection, _ hello: DaemonHello, _ first: DaemonStatus
    ) throws {
        var status = first
        var region = ScreenRegion()
        var columns = Terminal.output.size.columns
        while true {
            let size = Terminal.output.size
            if size.columns != columns {
                columns = size.columns
                try Output.standard.write(region.clear(columns: columns))
            }
            // The last column stays free: some terminals wrap when it is written.
            let width = max(1, columns - 1)
            var picture = try lines(hello, status, limit: width)
            for root in status.roots {
                guard let folders = root.folders, let waiting = root.foldersWaiting else {
                    continue
                }
                picture.append(
                    ScanBar.line(
                        folders: folders, waiting: waiting, columns: width, common.palette))
            }
            let shown = Array(picture.suffix(max(1, size.rows - 1)))
            try Output.standard.writeNow(region.update(to: shown))
            if ScanProgress(of: status.roots) == nil { break }
            var isDue = false
            connection.loop.schedule(after: .milliseconds(250)) { isDue = true }
            connection.loop.run { isDue }
            status = try connection.send(.info).wait()
        }
        try Output.standard.writeNow(region.leave())
    }

    // `limit` is the most columns of a line.
    private func lines(
        _ hello: DaemonHello, _ status: DaemonStatus, limit: Int? = nil
    ) throws -> [String] {
        let palette = common.palette
        var facts = Table([Table.Column(paint: palette.dim), Table.Column()])
        facts.add(["daemon", "\(hello.server), protocol \(hello.protocolVersion)"])
        facts.add(["process", "\(status.pid), up \(DurationText.text(status.uptime))"])
        if let memory = status.memory { facts.add(["memory", SizeText.text(Int64(memory))]) }
        facts.add(["socket", VisibleText.escaping(try common.socketPath())])
        facts.add(["clients", "\(status.clients) with \(status.subscriptions) subscriptions"])
        facts.add(["revision", "\(hello.epoch):\(hello.rev)"])
        for part in status.degraded {
            let line = part.line.map { ":\($0)" } ?? ""
            facts.add([
                "degraded",
                VisibleText.escaping("\(part.what): \(part.path)\(line): \(part.reason)"),
            ])
        }
        var roots = Table([
            Table.Column(), Table.Column(paint: palette.green),
            Table.Column(rightAligned: true), Table.Column(paint: palette.yellow),
        ])
        for root in status.roots {
            var documents = root.documents == 1 ? "1 document" : "\(root.documents) documents"
            if let folders = root.folders, let waiting = root.foldersWaiting {
                documents += ", " + ScanBar.text(folders: folders, waiting: waiting)
            }
            let faults = faults(of: root)
            roots.add([
                VisibleText.escaping(root.path), VisibleText.escaping(root.state), documents,
                VisibleText.escaping(faults.first ?? ""),
            ])
            for fault in faults.dropFirst() {
                roots.add(["", "", "", VisibleText.escaping(fault)])
            }
        }
        let rootLines = roots.lines(limit: limit).map(\.withoutTrailingBlanks)
        return facts.lines(limit: limit) + (rootLines.isEmpty ? [] : [""] + rootLines)
    }

    /// The most faults of a root that have a line each.
    private static let mostFaults = 5

    /// The faults of a root, each for a line: all, or the first ones and the number of the others.
    private func faults(of root: DaemonStatus.Root) -> [String] {
        let shown = root.degraded.prefix(Self.mostFaults)
        let rest = root.degradedCount - shown.count
        return rest > 0 ? shown + ["and \(rest) more; see 'pickerctl doctor'"] : Array(shown)
    }
}

package enum DurationText {
    /// For example "42 s", "5 min", "3 h 20 min", "12 days".
    package static func text(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds >= 0, seconds < 1e15 else { return "?" }
        let whole = Int(seconds)
        if whole < 60 { return "\(whole) s" }
        if whole < 3600 { return "\(whole / 60) min" }
        if whole < 48 * 3600 { return "\(whole / 3600) h \(whole % 3600 / 60) min" }
        return "\(whole / 86400) days"
    }
}
