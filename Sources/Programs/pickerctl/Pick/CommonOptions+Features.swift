import SystemInterface
import TerminalCells

extension CommonOptions {
    /// What the terminal can do, as far as it is wanted.
    var features: TerminalFeatures {
        let wantsColor =
            switch noColor ? .never : color {
            case .always: true
            case .never: false
            case .auto: (CurrentProcess.environment("NO_COLOR") ?? "").isEmpty
            }
        let colors = CurrentProcess.environment("COLORTERM")
        return TerminalFeatures(
            hasColor: wantsColor, hasTrueColor: colors == "truecolor" || colors == "24bit",
            hasManyColors: !Self.hasFewColors(Terminal.kind),
            hasSynchronizedOutput: Self.synchronizing.contains(Terminal.kind),
            readsFiles: ["SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT"].allSatisfy {
                CurrentProcess.environment($0) == nil
            })
    }

    private static func hasFewColors(_ kind: String) -> Bool {
        kind.hasSuffix("-16color")
            || ["linux", "vt1", "vt2", "ansi", "cons"].contains { kind.hasPrefix($0) }
    }

    /// Terminals that are known to show a frame at once if they are told where it ends.
    private static let synchronizing = [
        "xterm-kitty", "xterm-ghostty", "foot", "foot-extra", "alacritty", "contour", "wezterm",
    ]
}
