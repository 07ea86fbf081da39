/// The sequences that a `FrameWriter` sends, but for moves and styles within a frame.
enum Sequences {
    static let otherScreen = escape("[?1049h")
    static let firstScreen = escape("[?1049l")
    /// Characters after the last column of a row stay in it.
    static let unwrapped = escape("[?7l")
    static let wrapped = escape("[?7h")
    static let hidingCursor = escape("[?25l")
    static let showingCursor = escape("[?25h")
    /// Pasted text is told from typed text.
    static let bracketedPaste = escape("[?2004h")
    static let noPaste = escape("[?2004l")
    /// Presses, releases and drags, with decimal numbers.
    static let mouse = escape("[?1002h") + escape("[?1006h")
    static let noMouse = escape("[?1006l") + escape("[?1002l")
    /// The terminal answers with the row and the column.
    static let cursorQuestion = escape("[6n")
    /// Nothing is shown until the other one comes.
    static let synchronized = escape("[?2026h")
    static let shownAtOnce = escape("[?2026l")
    /// Ends a text for programs, such as an image.
    static let endOfText = escape("\\")
    static let plain = escape("[m")
    static let home = escape("[H")
    static let blankScreen = escape("[2J")
    static let blankRest = escape("[J")
    /// With the style.
    static let savingCursor = escape("7")
    static let restoringCursor = escape("8")

    static func up(_ rows: Int) -> [UInt8] { escape("[\(rows)A") }

    private static func escape(_ text: String) -> [UInt8] { [0x1B] + text.utf8 }
}
