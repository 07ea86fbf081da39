package import PickerClient
package import TerminalCells

/// Rows of the list, as the daemon sent them.
package struct RowsUpdate: Equatable, Sendable {
    /// The rows of the window, without the row that makes a new document.
    package var items: [ListItem]
    /// The place of the first of them among all documents.
    package var start: Int
    /// The documents of the list.
    package var total: Int
    /// Whether no more is to come for this query.
    package var isComplete: Bool
    /// The number of the query that they answer: see `PickState.wantedList`.
    package var query: Int
    /// Whether keys of before mean other documents now.
    package var isNewHistory: Bool
    /// By what the window was placed that they answer.
    package var place: WindowPlace

    package init(
        items: [ListItem], start: Int, total: Int, isComplete: Bool, query: Int,
        isNewHistory: Bool = false, place: WindowPlace = .unknown
    ) {
        self.items = items
        self.start = start
        self.total = total
        self.isComplete = isComplete
        self.query = query
        self.isNewHistory = isNewHistory
        self.place = place
    }
}

/// By what a window of a list was placed. With it, rows of a window that was asked for before the cursor moved are told
/// from those of a list that the document under the cursor has left.
package enum WindowPlace: Hashable, Sendable {
    case unknown
    /// By the number of its first row.
    case start
    /// By the document with this key.
    case anchor(String)
}

/// Whether the daemon is there.
package enum LinkState: Hashable, Sendable { case connecting, connected, reconnecting }

/// What a preview shows.
package enum PreviewContent: Equatable, Sendable {
    case loading
    /// The lines, with the first that has a word of the query, and whether there is more.
    case text([StyledText], firstMatch: Int?, isCut: Bool)
    case image(PreviewImage)
    /// Why there is none.
    case failed(String)
}

/// What happens to a picker.
package enum PickEvent: Equatable, Sendable {
    /// Something was typed when the last frame that was wholly written had this number.
    case input(TerminalInput, seen: Int)
    case resized(TerminalSize)
    /// The terminal has said what it can do.
    case terminal(TerminalFeatures)
    case rows(RowsUpdate)
    /// The marked documents that are there, as they are now, with the number of the request that they answer.
    case markedRows([ListItem], request: Int)
    /// The daemon refused the list: why.
    case refused(String)
    case link(LinkState)
    case preview(request: Int, PreviewContent)
    /// The picture of a tile.
    case picture(request: Int, PreviewContent)
    case offered(request: Int, [DocumentAction])
    /// A command is done; with what went wrong, and the URIs of what was put into the trash.
    case done(id: Int, failure: String?, uris: [String])
    /// The documents of a range that was asked for.
    case range(request: Int, [ListItem])
    /// The names and types of attributes, for completion.
    case attributes([String])
    case timeOut(Int)
    /// A frame with this number was made of the state: what Enter refers to.
    case drawn(frame: Int)
    /// Its end was asked for from outside.
    case signal(Int32)
}

/// What a picker does to documents.
package struct PickCommand: Hashable, Sendable {
    package enum Deed: Hashable, Sendable {
        case like(keys: [String], Bool)
        case drop(keys: [String])
        case restore(keys: [String])
        /// An action of the daemon or of a plugin.
        case run(String, keys: [String], isConfirmed: Bool)
        case untrash(uris: [String])
    }

    package let id: Int
    package let deed: Deed

    package init(id: Int, _ deed: Deed) {
        self.id = id
        self.deed = deed
    }
}

/// How a picker ended.
package enum PickOutcome: Equatable, Sendable {
    case picked([ListItem])
    /// There was nothing to pick.
    case nothing
    case cancelled
    case signal(Int32)
    /// The daemon refuses what a watch was called with.
    case refused(String)
}

/// A list that a picker wants. Its number grows with each other query, but not with another window of the same.
package struct WantedList: Equatable, Sendable {
    package var number: Int
    package var query: ListQuery

    package init(number: Int, query: ListQuery) {
        self.number = number
        self.query = query
    }
}

/// A preview that a picker wants: another one when the file changes.
package struct PreviewRequest: Hashable, Sendable {
    package var number: Int
    package var path: [UInt8]
    package var size: Int64?
    package var modified: Double?
    package var type: String?
    package var area: TerminalSize
    /// The words of the query.
    package var terms: [String]
    package var query: String
    package var command: String?
    /// The document; empty if the daemon does not know it.
    package var key: String
    /// What the terminal can do.
    package var terminal: TerminalFeatures
    /// The path of a PNG that shows the document, if there is one.
    package var thumbnail: [UInt8]?

    package init(
        number: Int, path: [UInt8], size: Int64?, modified: Double?, type: String?,
        area: TerminalSize, terms: [String], query: String, command: String?,
        key: String = "", terminal: TerminalFeatures = TerminalFeatures()
    ) {
        self.key = key
        self.terminal = terminal
        self.number = number
        self.path = path
        self.size = size
        self.modified = modified
        self.type = type
        self.area = area
        self.terms = terms
        self.query = query
        self.command = command
    }
}

/// Keys for which something is asked.
package struct KeysRequest: Hashable, Sendable {
    package var number: Int
    package var keys: [String]

    package init(number: Int, keys: [String]) {
        self.number = number
        self.keys = keys
    }
}

/// The documents between two rows of the list, or all of them.
package struct RangeRequest: Equatable, Sendable {
    package var number: Int
    /// The list with a window of these rows.
    package var query: ListQuery

    package init(number: Int, query: ListQuery) {
        self.number = number
        self.query = query
    }
}
