import PickerClient
import TerminalCells

/// The text of a query with carets under the wrong columns.
enum QueryFault {
    /// The text, and the line below it, both safe for a terminal.
    static func lines(_ error: QueryTextError) -> [String] {
        let prefix = VisibleText.escaping(error.prefix)
        let fault = VisibleText.escaping(error.fault)
        let blanks = String(repeating: " ", count: DisplayWidth.of(prefix))
        let carets = String(repeating: "^", count: max(1, DisplayWidth.of(fault)))
        return [
            "  " + prefix + fault + VisibleText.escaping(error.suffix), "  " + blanks + carets,
        ]
    }
}
