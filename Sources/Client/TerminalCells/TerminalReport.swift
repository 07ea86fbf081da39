/// What a terminal answers when it is asked what it can do.
package enum TerminalReport: Hashable, Sendable {
    /// The numbers of what it has (primary device attributes): 4 stands for sixel images.
    case attributes([Int])
    /// Whether it shows images by kitty's protocol.
    case kittyGraphics(Bool)
    case cellSize(CellPixels)
}

/// The pixels of a cell.
package struct CellPixels: Hashable, Sendable {
    package let width: Int
    package let height: Int

    /// Nil for sizes that no cell has.
    package init?(width: Int, height: Int) {
        guard 1...256 ~= width, 1...256 ~= height else { return nil }
        self.width = width
        self.height = height
    }
}

/// What a terminal is asked about images. The answers come among what is typed; nobody waits for them.
package enum TerminalQuestions {
    /// The last one is answered by all terminals, and they answer in order: after its answer no other one comes.
    package static let aboutImages = Array(
        "\u{1B}_Gi=28777,s=1,v=1,a=q,t=d,f=24,q=0;AAAA\u{1B}\\\u{1B}[16t\u{1B}[c".utf8)

    /// Whether a terminal may be asked, by its name (TERM): not one that would show the question, nor a multiplexer,
    /// which would answer for itself, or not at all.
    package static func mayBeAsked(_ kind: String) -> Bool {
        !kind.isEmpty && !silent.contains { kind.hasPrefix($0) }
    }

    private static let silent = [
        "linux", "screen", "tmux", "dumb", "vt1", "vt2", "vt3", "vt4", "vt5", "ansi", "cons",
        "eterm", "rxvt", "cygwin", "sun",
    ]
}
