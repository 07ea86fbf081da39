package import TerminalCells

/// Where a picker is on the terminal.
package enum PickLayout: Equatable {
    case whole
    /// That many rows below the prompt.
    case rows(Int)
    /// That many hundredths of the terminal's rows below the prompt.
    case percent(Int)

    /// Fewer rows show no documents.
    package static let fewestRows = 3

    /// For example "15" or "40%"; nil for anything else.
    package init?(_ text: String) {
        let isPercent = text.hasSuffix("%")
        guard let number = Int(isPercent ? text.dropLast() : text[...]), number > 0,
            !isPercent || number <= 100
        else { return nil }
        self = isPercent ? .percent(number) : .rows(number)
    }

    package var isWhole: Bool { self == .whole }

    /// The rows and columns that it takes on a terminal.
    package func size(in terminal: TerminalSize) -> TerminalSize {
        let rows =
            switch self {
            case .whole: terminal.rows
            case .rows(let count): count
            case .percent(let percent): terminal.rows * percent / 100
            }
        return TerminalSize(
            rows: min(terminal.rows, max(Self.fewestRows, rows)), columns: terminal.columns)
    }

    /// The same number of rows whatever the size of the terminal becomes: what is above them stays there.
    package func fixed(in terminal: TerminalSize) -> PickLayout {
        isWhole ? .whole : .rows(size(in: terminal).rows)
    }

    /// Where the frames are; on no particular terminal, only the sort of place counts.
    package func place(in terminal: TerminalSize?) -> FrameWriter.Place {
        isWhole ? .whole : .below(rows: terminal.map { size(in: $0).rows } ?? Self.fewestRows)
    }
}
