package import PickerClient
package import TerminalCells

// What a picker shows and wants, as one value.
//
// The cursor is a document, not a row: rows come and go, and it stays. `rows` are those that were told last, perhaps
// those of an earlier query while the present one has no answer; they are shown as long as there are no better ones. A
// key that is about rows waits for those of the typed query, and everything typed behind it waits, too, so that what is
// typed ahead does the same as what is typed slowly.

/// What a picker shows, and what it wants of the daemon. It changes by `reduce` alone.
package struct PickState: Equatable {
    package let options: PickOptions
    package internal(set) var size: TerminalSize
    package internal(set) var terminal: TerminalFeatures
    package internal(set) var outcome: PickOutcome?
    package internal(set) var link = LinkState.connecting
    /// What is to be said until the next key.
    package internal(set) var message: String?

    // MARK: The query

    package internal(set) var typed: QueryLine
    /// Whether keys go to the line: always, but for a watch without a search.
    package internal(set) var isSearching: Bool
    /// What the list is asked for: what the line says, unless it is faulty.
    package internal(set) var reading: QueryReading
    /// What is wrong with the line.
    package internal(set) var fault: QueryTextError?
    /// The order that was chosen by a key.
    var chosenSort: [String]?
    package internal(set) var isReversed = false
    /// Counts the queries.
    package internal(set) var queryNumber = 0
    /// The names of attributes; nil until they are asked for and known.
    var attributes: [String]?
    package internal(set) var wantsAttributes = false

    // MARK: The list

    package internal(set) var rows: RowsUpdate?
    package internal(set) var cursor = PickCursor()
    /// Whether the rows are tiles, with pictures. Only something may be picked from them.
    package internal(set) var isGrid: Bool
    package internal(set) var pictures = TilePictures()
    /// Whether the next rows of another query get the cursor at their first one.
    var landsAtTop = false
    /// The keys of documents that left the list from under the cursor, the last ones.
    var vanished: [String] = []
    /// Where the document was that is looked for, since keys mean other documents.
    var soughtCursor: ListItem?
    /// How often the cursor was sent elsewhere by hand.
    var moves = 0
    var frames: [SeenFrame] = []
    /// The number of the query that the daemon refused.
    var refused: Int?

    // MARK: What waits

    /// What was typed behind a key that waits for rows.
    var held: [TerminalInput] = []
    var heldTimer: Int?
    /// Whether the typed query has waited for rows long enough.
    var isSlow = false
    var staleTimer: Int?
    /// Whether the rows are drawn as those of an earlier query.
    package internal(set) var isStale = false
    /// A click that may become a double one.
    var click: Click?
    /// What is lit up, since it has changed.
    var flashing = PickFlash()

    struct Click: Equatable {
        let key: String
        let timer: Int
    }

    // MARK: Marks, actions, preview

    package internal(set) var marks = MarkList()
    var followed: KeysRequest?
    /// The document that was marked last.
    var lastMarked: String?
    var pendingRange: PendingRange?
    package internal(set) var overlay: Overlay?
    var commands: [PickCommand] = []
    var undo: [UndoStep] = []
    /// The commands that take something back.
    var undoing: Set<Int> = []
    package internal(set) var preview: PickPreview
    /// Counts requests and timers.
    var lastNumber = 0

    package init(_ options: PickOptions, size: TerminalSize) {
        self.options = options
        self.size = size
        terminal = options.terminal
        typed = QueryLine(options.query)
        isSearching = options.mode == .pick
        isGrid = options.isGrid && options.mode == .pick
        reading = QueryReading()
        preview = PickPreview(isShown: options.preview != .hidden)
        let first = readLine()
        fault = first.fault
        if fault == nil { reading = first }
        settle()
    }

    /// What is typed.
    package var line: String { typed.text }

    /// The state after an event. Each event may come in each state.
    package static func reduce(_ state: PickState, _ event: PickEvent) -> PickState {
        var state = state
        state.take(event)
        return state
    }

    private mutating func take(_ event: PickEvent) {
        // The end is the end.
        if outcome != nil { return }
        switch event {
        case .input(let input, let seen): take(input, seen: seen)
        case .resized(let size): self.size = size
        case .terminal(let features): terminal = features
        case .rows(let update): take(update)
        case .markedRows(let items, let request): seeMarked(items, request)
        case .refused(let why): refuse(why)
        case .link(let link): self.link = link
        case .preview(let request, let content): preview.take(content, of: request)
        case .picture(let request, let content): pictures.take(content, of: request)
        case .offered(let request, let actions): offer(actions, request)
        case .done(let id, let failure, let uris): finish(id, failure, uris)
        case .range(let request, let items): takeRange(items, request)
        case .attributes(let names): know(names)
        case .timeOut(let number): takeTimeOut(number)
        case .drawn(let frame): see(frame)
        case .signal(let number): outcome = .signal(number)
        }
        settle()
    }

    /// A number that no other request or timer has.
    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Draws the conclusions of what has changed.
    private mutating func settle() {
        fitCursor()
        replayHeld()
        fitCursor()
        placeWindow()
        follow()
        watchPreview()
        watchPictures()
        setStale()
        #if DEBUG
        checkInvariants()
        #endif
    }

    private mutating func see(_ frame: Int) {
        if frames.count == SeenFrame.most { frames.removeFirst() }
        frames.append(
            SeenFrame(number: frame, item: cursor.item, moves: moves, isAnswered: isAnswered))
    }

    private mutating func refuse(_ why: String) {
        // Nobody has typed anything yet: it was called for what there is not.
        if options.mode == .watch, rows == nil, queryNumber == 0 { outcome = .refused(why) }
        message = why
        refused = queryNumber
        held = []
    }

    // MARK: What holds

    /// Whether the rows are of the query that is wanted.
    package var isAnswered: Bool {
        guard let rows, rows.query == queryNumber else { return false }
        return rows.isComplete || !rows.items.isEmpty || rows.total > 0
    }

    /// Whether the daemon refused the query that is wanted.
    package var isRefused: Bool { refused == queryNumber }

    /// The document under the cursor.
    package var itemAtCursor: ListItem? { cursor.item }

    /// The rows that came in above the cursor since it was moved.
    package var newAbove: Int { cursor.newAbove }

    /// Places on the screen.
    package var places: PickPlaces { PickPlaces(of: self) }

    /// How the rows of the list are laid on the screen.
    package var shape: TileShape { places.shape }

    /// The place in the list of the first row on the screen.
    package var top: Int {
        let perLine = shape.perLine
        return (cursor.place / perLine - cursor.row) * perLine
    }
}
