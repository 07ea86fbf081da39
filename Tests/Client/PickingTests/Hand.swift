import PickerClient
import Picking
import TerminalCells
import WireProtocol

/// A picker, and what is done to it.
struct Hand {
    var state: PickState
    private(set) var frame = 0

    init(
        _ options: PickOptions = PickOptions(), rows: Int = 12, columns: Int = 60,
        _ change: (inout PickOptions) -> Void = { _ in }
    ) {
        var options = options
        options.now = Timestamp(1_700_000_000)
        options.zone = .utc
        change(&options)
        state = PickState(options, size: TerminalSize(rows: rows, columns: columns))
        send(.link(.connected))
    }

    mutating func send(_ event: PickEvent) { state = PickState.reduce(state, event) }

    /// Draws a frame, which is written at once.
    mutating func draw() {
        frame += 1
        send(.drawn(frame: frame))
    }

    /// Presses keys when the last frame is on the screen, and draws what comes of each.
    mutating func press(_ code: KeyPress.Code, _ modifiers: KeyPress.Modifiers = []) {
        send(.input(.key(KeyPress(code, modifiers)), seen: frame))
        draw()
    }

    mutating func press(control letter: Character) { press(.character(letter), .control) }
    mutating func press(alt letter: Character) { press(.character(letter), .alt) }

    mutating func type(_ text: String) {
        send(.input(.text(text), seen: frame))
        draw()
    }

    /// The rows of the wanted list.
    mutating func show(
        _ names: [String], total: Int? = nil, start: Int = 0, isComplete: Bool = true
    ) {
        show(names.map { item($0) }, total: total, start: start, isComplete: isComplete)
    }

    mutating func show(
        _ items: [ListItem], total: Int? = nil, start: Int = 0, isComplete: Bool = true,
        isNewHistory: Bool = false
    ) {
        send(
            .rows(
                RowsUpdate(
                    items: items, start: start, total: total ?? items.count,
                    isComplete: isComplete, query: state.queryNumber, isNewHistory: isNewHistory)))
        draw()
    }

    /// Tells of the marked documents that are there.
    mutating func tellMarked(_ items: [ListItem]) {
        send(.markedRows(items, request: state.wantedMarked?.number ?? -1))
    }

    var query: ListQuery? { state.wantedList?.query }
    var name: String? { state.cursor.item?.name }
    var marked: [String] { state.marks.all.map { $0.item.name ?? "" } }

    /// The names that were picked; nil unless it has ended so.
    var picked: [String]? {
        guard case .picked(let items)? = state.outcome else { return nil }
        return items.map { $0.name ?? "" }
    }

    /// The names that are on the screen, in the order of the list; "" where there is none.
    var names: [String] {
        let places = state.places
        let lines = screen.map(Array.init)
        return (0..<places.shape.count).map { index in
            let tile = places.shape.rect(of: index, in: places.list)
            let row = tile.row + tile.rows - 1
            guard lines.indices.contains(row) else { return "" }
            let text = lines[row].dropFirst(tile.column).prefix(tile.columns)
            return text.split { " >•♥".contains($0) }.first.map { String($0) } ?? ""
        }
    }

    /// The rows of the screen.
    var screen: [String] {
        let grid = PickDrawing.frame(of: state).grid
        return (0..<grid.rows).map { grid.text(row: $0) }
    }
}

/// A document; its key is its path, unless another is named.
func item(
    _ path: String, key: String? = nil, size: Int64 = 100, modified: Double = 1_700_000_000,
    liked: Bool = false, matches: [Int]? = nil, folderMatches: [Int]? = nil,
    root: String = "/home", type: String = "text/plain"
) -> ListItem {
    var record = ItemRecord(kind: .document, key: key ?? "k-" + path)
    record.name = WireName(String(path.split(separator: "/").last ?? ""))
    record.path = WireName(path)
    record.root = root
    record.size = size
    record.modified = modified
    record.type = type
    record.liked = liked
    record.matches = matches
    record.folderMatches = folderMatches
    return ListItem(record)
}
