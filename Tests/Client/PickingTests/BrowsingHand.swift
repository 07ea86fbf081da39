import Picking
import TerminalCells

/// A picker of folders on a disk, and what is done to it.
struct BrowsingHand {
    var state: BrowseState
    var disk: Disk
    /// Whether the disk answers at once.
    var isPrompt = true
    private(set) var frame = 0
    private var told: (number: Int, listing: FolderListing)?

    init(
        _ purpose: BrowseOptions.Purpose = .directory, in folder: String = "/",
        _ disk: Disk = Disk(), rows: Int = 12, columns: Int = 80,
        _ change: (inout BrowseOptions) -> Void = { _ in }
    ) {
        var options = BrowseOptions(purpose, in: Array(folder.utf8))
        options.home = Array("/home".utf8)
        change(&options)
        self.disk = disk
        state = BrowseState(options, size: TerminalSize(rows: rows, columns: columns))
        settle()
        draw()
    }

    mutating func send(_ event: BrowseEvent) { state = BrowseState.reduce(state, event) }

    mutating func draw() {
        frame += 1
        send(.drawn(frame: frame))
    }

    /// The disk tells what has changed, and answers.
    mutating func settle() {
        while answerOnce() {}
    }

    /// - Returns: false if there was nothing to be told.
    mutating func answerOnce() -> Bool {
        if let wanted = state.wantedFolder {
            let listing = disk.listing(of: wanted)
            if told?.number != wanted.number || told?.listing != listing {
                told = (wanted.number, listing)
                send(.listing(listing, of: wanted.number))
                return true
            }
        }
        guard let request = state.wantedRequest else { return false }
        send(.answered(request: request.number, disk.answer(to: request)))
        return true
    }

    mutating func input(_ input: TerminalInput) {
        send(.input(input, seen: frame))
        if isPrompt { settle() }
        draw()
    }

    mutating func press(_ code: KeyPress.Code, _ modifiers: KeyPress.Modifiers = []) {
        input(.key(KeyPress(code, modifiers)))
    }

    mutating func press(control letter: Character) { press(.character(letter), .control) }
    mutating func press(alt letter: Character) { press(.character(letter), .alt) }
    mutating func type(_ text: String) { input(.text(text)) }

    mutating func click(row: Int, column: Int = 5, button: Int = 0) {
        input(.mouse(MouseEvent(.press, button: button, at: CellPlace(row: row, column: column))))
    }

    var folder: String { String(decoding: state.folder, as: UTF8.self) }
    /// The name under the cursor; nil for the folder itself.
    var name: String? { state.cursor.name.map { String(decoding: $0, as: UTF8.self) } }

    /// What was accepted, as text.
    var accepted: String? {
        switch state.outcome {
        case .folder(let path)?: String(decoding: path, as: UTF8.self)
        case .saved(let folder, let name, let isThere)?:
            String(decoding: FolderPath.path(folder, name), as: UTF8.self)
                + (isThere ? " over" : "")
        case .cancelled?, .signal?, nil: nil
        }
    }

    /// The rows of the screen.
    var screen: [String] {
        let grid = BrowseDrawing.frame(of: state).grid
        return (0..<grid.rows).map { grid.text(row: $0) }
    }
}
