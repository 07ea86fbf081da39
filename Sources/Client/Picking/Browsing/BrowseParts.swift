/// A row.
enum BrowseRow: Equatable {
    /// The folder that is shown.
    case here
    case entry(FolderEntry)
}

/// How many rows of each sort there are, and how many names are not shown because they begin with a dot.
struct BrowseCounts: Equatable {
    var folders = 0
    var files = 0
    var hidden = 0
}

/// The cursor: a name, and where it is.
package struct BrowseCursor: Equatable, Sendable {
    /// Nil for the folder itself, and if there is no row.
    package internal(set) var name: [UInt8]?
    /// The row, from 0.
    package internal(set) var place = 0
    /// The first row on the screen.
    package internal(set) var top = 0
}

/// What was under the cursor in a frame.
struct BrowseFrame: Equatable {
    /// The most that are remembered. A terminal shows the last one or the one before it.
    static let most = 16

    let number: Int
    let name: [UInt8]?
    let moves: Int
}

/// What lies over the rows, and gets the keys.
package enum BrowseOverlay: Equatable, Sendable {
    case help(scroll: Int)
    /// The name of a new folder.
    case newFolder(QueryLine)
    /// Whether a file is to be overwritten.
    case overwrite([UInt8])
}

/// What the disk was asked, and what is done after that.
struct PendingDeed: Equatable {
    enum Next: Equatable {
        /// The folder of this path is the outcome.
        case choose([UInt8])
        /// A file of this name is.
        case save([UInt8])
        /// The folder of this path is shown.
        case enter([UInt8])
    }

    let request: FolderRequest
    let next: Next
}
