package import TerminalCells

/// What happens while folders are browsed.
package enum BrowseEvent: Equatable, Sendable {
    /// Something was typed when the last frame that was wholly written had this number.
    case input(TerminalInput, seen: Int)
    case resized(TerminalSize)
    /// What is in the folder with this number: once it was read, and when it changed.
    case listing(FolderListing, of: Int)
    case answered(request: Int, FolderAnswer)
    case timeOut(Int)
    /// A frame with this number was made of the state: what Enter refers to.
    case drawn(frame: Int)
    /// Its end was asked for from outside.
    case signal(Int32)
}

/// How it ended.
package enum BrowseOutcome: Equatable, Sendable {
    /// The path of a folder that was there.
    case folder([UInt8])
    /// A folder, the name of a file in it, and whether there is one that is to be overwritten.
    case saved(folder: [UInt8], name: [UInt8], isThere: Bool)
    case cancelled
    case signal(Int32)
}
