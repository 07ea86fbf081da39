package import PickerClient
package import TerminalCells

/// How a picker was called.
package struct PickOptions: Equatable, Sendable {
    package enum Mode: Hashable, Sendable {
        /// Chosen documents are its outcome.
        case pick
        /// Documents are shown; nothing is chosen.
        case watch
    }

    /// Where the preview is.
    package enum PreviewPlace: Hashable, Sendable { case hidden, right, below }

    package var mode = Mode.pick
    package var isMulti = false
    /// The most marks there may be.
    package var mostMarks = 4096
    /// The most rows of the list; nil for all.
    package var limit: Int?
    /// The orders that ctrl-s goes through, the first one first. The first one with a search is by score, unless an order
    /// was asked for.
    package var sorts: [[String]] = [
        ["date"], ["name"], ["-size", "name"], ["type", "name"], ["path"],
    ]
    /// Whether the first order was asked for.
    package var hasChosenSort = false
    /// Whether the cursor stays at its document while the query is typed.
    package var tracks = false
    package var collections: [String] = []
    package var preview = PreviewPlace.hidden
    /// The command that makes previews; nil for those of the program.
    package var previewCommand: String?
    package var prompt = "> "
    package var header: String?
    /// What is typed already.
    package var query = ""
    /// What a watch shows while nothing is searched for in it. Its conditions hold for searches, too.
    package var base = QueryReading()
    /// Whether the row that makes a new document is shown above the list, where there is one.
    package var showsNewRow = false
    /// Whether the list is a grid of tiles at first.
    package var isGrid = false
    package var hasColor = true
    /// What is known of the terminal.
    package var terminal = TerminalFeatures()
    /// Whether what changes is lit up for a moment.
    package var flashes = false
    /// The order of a fuzzy search, unless another was asked for. What decides between equally good ones is behind it.
    package var scoreSort = ["score"]
    /// The members of documents that are asked for; nil for all.
    package var fields: [String]?
    /// The moment from which typed ages such as `7d` count back, and the zone of typed dates.
    package var now = Timestamp.now
    package var zone = CalendarZone.local

    package init() {}
}
