import Glibc
import SystemInterface
package import TerminalCells

/// What a terminal can do about images: it is asked once, when an image may be shown for the first time, and until it has
/// answered, and on terminals that are not asked, images are drawn with characters.
package struct ImageSupport {
    private var features: TerminalFeatures
    private var mayAsk: Bool
    /// Whether it was asked and has not answered all of it.
    package private(set) var isAsked = false

    /// - Parameters:
    ///   - features: What is known of the terminal.
    ///   - environment: Tells the terminal, and what is between it and this program.
    package init(_ features: TerminalFeatures, _ environment: [String: String]) {
        self.features = features
        let isInMultiplexer = environment["TMUX"] != nil || environment["STY"] != nil
        mayAsk = !isInMultiplexer && TerminalQuestions.mayBeAsked(environment["TERM"] ?? "")
    }

    /// The question, the first time.
    package mutating func question() -> [UInt8]? {
        guard mayAsk else { return nil }
        mayAsk = false
        isAsked = true
        return TerminalQuestions.aboutImages
    }

    /// Takes an answer. One to no question says nothing that is relied on.
    /// - Parameters:
    ///   - report: The answer.
    ///   - cell: The pixels of a cell, if the terminal does not tell.
    /// - Returns: what the terminal can do, with the last answer.
    package mutating func take(_ report: TerminalReport, cell: CellPixels?) -> TerminalFeatures? {
        guard isAsked else { return nil }
        features.learn(report)
        guard case .attributes = report else { return nil }
        isAsked = false
        if features.cell == nil { features.cell = cell }
        return features
    }
}

extension TerminalDevice {
    /// The pixels of a cell, as the system knows them.
    var cell: CellPixels? {
        var size = winsize()
        // The call fills in the local variable.
        guard unsafe ioctl(box.number, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0,
            size.ws_row > 0
        else { return nil }
        return CellPixels(
            width: Int(size.ws_xpixel / size.ws_col), height: Int(size.ws_ypixel / size.ws_row))
    }
}
