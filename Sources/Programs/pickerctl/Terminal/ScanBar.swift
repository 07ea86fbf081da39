import PickerClient
import TerminalCells

// The progress of a scan as text: a bar of the folders read among those known. Nobody knows how many there are before
// the end, so the bar may go back.

package enum ScanBar {
    private static let widest = 40

    /// A line no wider than `columns`: the bar, if there is room for it, and the numbers.
    package static func line(
        folders: Int, waiting: Int, columns: Int, _ palette: Palette
    ) -> String {
        let known = folders.addingReportingOverflow(waiting).partialValue
        let numbers = DisplayWidth.truncating(text(folders: folders, waiting: waiting), to: columns)
        let width = min(widest, columns - numbers.utf8.count - 4)
        guard width >= 4, folders >= 0, known >= folders else { return numbers }
        let full = known == 0 ? 0 : Int(Double(width) * (Double(folders) / Double(known)))
        return "[" + palette.green(String(repeating: "#", count: full))
            + palette.dim(String(repeating: ".", count: width - full)) + "]  " + numbers
    }

    /// For example "130 of 170 folders".
    package static func text(folders: Int, waiting: Int) -> String {
        let known = folders.addingReportingOverflow(waiting).partialValue
        return "\(folders) of \(known) folders"
    }
}

/// One line on standard error, if that is a terminal, while a command waits for the first scan. It erases itself.
final class ScanLine {
    /// Whether there is a terminal for it.
    let isOn = Terminal(descriptor: 2).canRedraw
    private var isShown = false
    private var timer: PollTimer?

    func show(_ progress: ScanProgress) {
        guard isOn else { return }
        let columns = max(1, Terminal(descriptor: 2).size.columns - 1)
        let folders = ScanBar.text(folders: progress.folders, waiting: progress.foldersWaiting)
        let text = "the folders are being read: \(progress.documents) documents, \(folders)"
        Output.errors.tell("\r" + DisplayWidth.truncating(text, to: columns) + "\u{1b}[K")
        isShown = true
    }

    /// Asks the daemon for its progress four times a second, until `erase`.
    func follow(_ connection: PickerConnection) {
        guard isOn else { return }
        timer = connection.loop.schedule(after: .milliseconds(250)) {
            [weak self, weak connection] in
            guard let connection, connection.isOpen else { return }
            connection.send(.info).then { [weak self, weak connection] outcome in
                guard let self, timer != nil, let connection else { return }
                if let status = try? outcome.get(), let progress = ScanProgress(of: status.roots) {
                    show(progress)
                }
                follow(connection)
            }
        }
    }

    /// Erases the line, and asks no more.
    func erase() {
        timer?.cancel()
        timer = nil
        if isShown { Output.errors.tell("\r\u{1b}[K") }
        isShown = false
    }
}

extension PickerConnection {
    /// The answer to a request, with a line of progress while it waits for the first scan.
    func ask<Value>(_ request: DaemonRequest<Value>) throws(ClientError) -> Value {
        let line = ScanLine()
        guard line.isOn else { return try send(request).wait() }
        defer { line.erase() }
        return try send(request, onProgress: { line.show($0) }).wait()
    }
}
