package import PickerClient
package import Picking
package import TerminalCells

// A picker where nothing can be redrawn: numbered rows, a prompt, and a line that is typed. It is the same state and the
// same session; only what is shown of it, and what a line does to it, is different. The rows are live as everywhere, but
// they are printed only when a line was typed. What a number means are the rows that were printed last, wherever these
// documents are by then.

/// A picker in lines.
package final class LinePicker {
    /// How long rows are waited for before those are printed that there are.
    private static let patience = Duration.seconds(1)

    /// How it ended; nil until it has.
    package private(set) var outcome: PickOutcome? {
        didSet { if outcome != nil { timer?.cancel() } }
    }

    private let session: PickSession
    private let loop: PollLoop
    private let options: PickOptions
    private let size: TerminalSize
    private let dates: DateText
    private let write: (String) -> Void
    /// The rows that were printed last.
    private var printed: [ListItem] = []
    /// The most lines that wait; more are not taken.
    private static let mostLines = 256

    /// Whether rows are waited for, or documents that were chosen are looked up. What is typed meanwhile waits, so that
    /// what is typed ahead does the same as what is typed slowly.
    private var isWaiting = true
    private var isChoosing = false
    private var isReplaying = false
    private var lines: [String?] = []
    private var timer: PollTimer?

    /// A picker on a terminal of this size, to which `write` writes.
    package init(
        _ parameters: PickSession.Parameters, on session: ReconnectingSession, size: TerminalSize,
        dates: DateText, write: @escaping (String) -> Void
    ) {
        var parameters = parameters
        parameters.options.preview = .hidden
        options = parameters.options
        self.session = PickSession(parameters, on: session)
        loop = session.loop
        self.size = size
        self.dates = dates
        self.write = write
    }

    /// The most rows that are printed: with them there is room for what is said, and for the prompt.
    private var mostRows: Int { max(1, size.rows - 4) }

    package func begin() {
        session.onState = { [weak self] in self?.follow($0) }
        session.onNewHistory = { [weak self] in self?.forget() }
        write(
            options.isMulti
                ? "Numbers choose, as 1,3-5; other text searches; q ends it.\n"
                : "A number chooses; other text searches; q ends it.\n")
        if let header = options.header { write(VisibleText.escaping(header) + "\n") }
        wait()
        // The prompt and the status have rows of a screen that the list does not get.
        session.begin(
            PickState(options, size: TerminalSize(rows: mostRows + 3, columns: size.columns)))
    }

    /// Ends it, after the visit of what was picked was told.
    package func end() {
        var keys: [String] = []
        if case .picked(let items)? = outcome { keys = items.map(\.key) }
        session.end(visiting: keys)
    }

    // MARK: Lines

    /// Takes a line that was typed; nil for the end of input.
    package func take(_ line: String?) {
        if lines.count < Self.mostLines { lines.append(line) }
        replay()
    }

    private func replay() {
        if isReplaying { return }
        isReplaying = true
        defer { isReplaying = false }
        while outcome == nil, !isWaiting, !isChoosing, !lines.isEmpty { obey(lines.removeFirst()) }
    }

    private func obey(_ line: String?) {
        guard let line else {
            write("\n")
            outcome = .cancelled
            return
        }
        switch RowChoice(line, rows: printed.count, isMulti: options.isMulti) {
        case .quit: outcome = .cancelled
        case .empty: takeEmpty()
        case .wrong(let why): say(why)
        case .search(let text): search(text)
        case .rows(let places): choose(places.map { printed[$0] })
        }
    }

    /// Enter alone shows what there is now; that there is nothing ends it, as on a screen.
    private func takeEmpty() {
        if let state = session.state, state.isAnswered, let rows = state.rows, rows.isComplete,
            rows.total == 0, printed.isEmpty
        {
            outcome = .nothing
        } else {
            wait()
        }
    }

    private func search(_ text: String) {
        session.send(.input(.key(KeyPress(.end)), seen: 0))
        session.send(.input(.key(KeyPress(.character("u"), .control)), seen: 0))
        session.send(.input(.text(text), seen: 0))
        guard let fault = session.state?.fault else { return wait() }
        for line in QueryFault.lines(fault) { write(line + "\n") }
        say(fault.message)
    }

    private func choose(_ items: [ListItem]) {
        isChoosing = true
        session.find(items.map(\.key)) { [weak self] found in
            guard let self else { return }
            isChoosing = false
            defer { replay() }
            // What can't be asked for now is as it was printed.
            guard let found else {
                outcome = .picked(items)
                return
            }
            let newest = Dictionary(
                found.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
            if let gone = items.first(where: { newest[$0.key] == nil }) {
                write("'\(VisibleText.escaping(gone.name ?? gone.key))' is gone\n")
                wait()
            } else {
                outcome = .picked(items.compactMap { newest[$0.key] })
            }
        }
    }

    // MARK: Rows

    /// The numbers are of documents whose keys mean others now.
    private func forget() {
        if printed.isEmpty || outcome != nil { return }
        printed = []
        write("\nThe daemon's documents are others than before.\n")
        wait()
    }

    /// Prints the rows of the query as soon as they are all there, or what there is after a while.
    private func wait() {
        isWaiting = true
        timer?.cancel()
        timer = loop.schedule(after: Self.patience) { [weak self] in self?.printRows() }
        if let state = session.state { follow(state) }
    }

    private func follow(_ state: PickState) {
        guard isWaiting, outcome == nil else { return }
        if state.isRefused || state.isAnswered && state.rows?.isComplete ?? false { printRows() }
    }

    private func printRows() {
        isWaiting = false
        timer?.cancel()
        guard let state = session.state, outcome == nil else { return }
        printed = Array((state.rows?.items ?? []).prefix(mostRows))
        var rows = ItemRows(dates: dates, palette: Palette(isOn: false))
        for item in printed { rows.add(item) }
        let digits = "\(printed.count)".count
        let lines = rows.takeLines(limit: max(1, size.columns - digits - 3))
        for (index, line) in lines.enumerated() {
            let number = "\(index + 1)"
            write(String(repeating: " ", count: digits - number.count) + "\(number)  \(line)\n")
        }
        say(Self.status(of: state, printed: printed.count))
        replay()
    }

    /// What is to be said of the rows besides: nil if they are all.
    private static func status(of state: PickState, printed: Int) -> String? {
        var parts: [String] = []
        let isWhole = state.isAnswered && state.rows?.isComplete ?? false
        if let message = state.message { parts.append(message) }
        if state.link != .connected { parts.append("there is no connection to the daemon") }
        let total = state.rows?.total ?? 0
        if total > printed {
            parts.append("… and \(total - printed) more")
        } else if !isWhole {
            parts.append("… more may come: Enter shows it")
        } else if total == 0 {
            parts.append("nothing matches")
        }
        return parts.isEmpty ? nil : parts.joined(separator: " · ")
    }

    /// Says something, and asks for the next line.
    private func say(_ text: String?) {
        if let text { write(VisibleText.escaping(text) + "\n") }
        write(VisibleText.escaping(options.prompt))
    }
}
