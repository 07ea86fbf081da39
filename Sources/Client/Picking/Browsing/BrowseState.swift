internal import PickerClient
package import TerminalCells

// Folders, one level at a time, as one value.
//
// The first row is the folder itself: Enter there accepts it, and on the row of another folder Enter goes in. The cursor
// is a name, not a row: it stays there when names come and go. A key that is about rows waits until the folder has been
// read, with all that is typed after it, so that a path that is pasted leads to the same folder as one that is typed slowly.

/// What is shown of a folder, and what is wanted of the disk. It changes by `reduce` alone.
package struct BrowseState: Equatable {
    package let options: BrowseOptions
    package internal(set) var size: TerminalSize
    package internal(set) var outcome: BrowseOutcome?
    /// What is to be said until the next key.
    package internal(set) var message: String?

    // MARK: The folder

    /// Its absolute path.
    package internal(set) var folder: [UInt8]
    var folderNumber = 0
    /// What is in it; nil until it has been read.
    package internal(set) var listing: FolderListing?
    package internal(set) var showsHidden: Bool
    /// The entries of the listing that are rows, and what they are.
    var rows: [Int] = []
    var counts = BrowseCounts()

    // MARK: The lines

    package internal(set) var filter = QueryLine()
    package internal(set) var name: NameLine
    /// Whether keys go to the name rather than to the filter.
    package internal(set) var isNaming: Bool
    package internal(set) var overlay: BrowseOverlay?

    // MARK: The cursor

    package internal(set) var cursor = BrowseCursor()
    /// The name that is to be under the cursor once the folder has been read.
    var sought: [UInt8]?
    /// How often the cursor was sent elsewhere by hand.
    var moves = 0
    var frames: [BrowseFrame] = []
    /// A click that may become a double one.
    var click: Click?

    struct Click: Equatable {
        let name: [UInt8]?
        let timer: Int
    }

    // MARK: What waits

    /// What the disk was asked.
    var pending: PendingDeed?
    /// What was typed behind a key that waits.
    var held: [TerminalInput] = []
    /// Counts folders, requests and timers.
    private var lastNumber = 0

    /// The most inputs that wait; more are not taken.
    static let mostHeld = 256

    package init(_ options: BrowseOptions, size: TerminalSize) {
        self.options = options
        self.size = size
        folder = FolderPath.normalized(options.folder)
        showsHidden = options.showsHidden
        if case .save(let name) = options.purpose {
            self.name = NameLine(name)
            isNaming = true
        } else {
            name = NameLine("")
            isNaming = false
        }
        folderNumber = nextNumber()
        settle()
    }

    /// The state after an event. Each event may come in each state.
    package static func reduce(_ state: BrowseState, _ event: BrowseEvent) -> BrowseState {
        var state = state
        state.take(event)
        return state
    }

    private mutating func take(_ event: BrowseEvent) {
        // The end is the end.
        if outcome != nil { return }
        switch event {
        case .input(let input, let seen): take(input, seen: seen)
        case .resized(let size): self.size = size
        case .listing(let listing, let number): take(listing, of: number)
        case .answered(let request, let answer): take(answer, to: request)
        case .timeOut(let number): if click?.timer == number { click = nil }
        case .drawn(let frame): see(frame)
        case .signal(let number): outcome = .signal(number)
        }
        settle()
    }

    /// A number that no other folder, request or timer has.
    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Draws the conclusions of what has changed.
    private mutating func settle() {
        fitCursor()
        replayHeld()
        fitCursor()
        #if DEBUG
        checkInvariants()
        #endif
    }

    private mutating func see(_ frame: Int) {
        // Who saw no rows yet meant what comes, as who typed ahead.
        if listing == nil { return }
        if frames.count == BrowseFrame.most { frames.removeFirst() }
        frames.append(BrowseFrame(number: frame, name: cursor.name, moves: moves))
    }

    // MARK: What is wanted

    /// The folder that is shown.
    package var wantedFolder: WantedFolder? {
        guard outcome == nil else { return nil }
        return WantedFolder(number: folderNumber, path: folder, withFiles: options.isSave)
    }

    /// What the disk is asked.
    package var wantedRequest: FolderRequest? { outcome == nil ? pending?.request : nil }

    /// A time limit; nil at rest, so that nothing wakes the program.
    package var wantedTimer: TimerRequest? {
        guard outcome == nil, let click else { return nil }
        return TimerRequest(number: click.timer, milliseconds: 400)
    }

    // MARK: What is shown

    package var places: BrowsePlaces { BrowsePlaces(of: self) }

    /// The rows on the screen; at least one for all that moves by screens.
    var height: Int { max(1, places.list.rows) }
}
