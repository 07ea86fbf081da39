internal import TerminalCells

/// How parts of previews are drawn that are not the file's own.
enum PreviewStyle {
    /// Words of the query.
    static let match = CellStyle(isReversed: true)
    /// What the program says of a file or a command.
    static let note = CellStyle(isDim: true)
}
