/// The terminal in which a picker is started.
package struct TerminalChoice: Hashable, Sendable {
    /// The program and its arguments, to which the command is added.
    package let words: [String]

    /// Chooses one: that of the setting, else `xdg-terminal-exec`, else that of `$TERMINAL`, else the first of a list
    /// that is installed.
    ///
    /// - Parameters:
    ///   - setting: a program, perhaps with arguments; with these, what follows them is the command.
    ///   - environment: the variables.
    ///   - find: the path of a program; nil if it is not installed.
    /// - Throws: which terminals are not there.
    package init(
        setting: String?, environment: [String: String], find: (String) -> String?
    ) throws(TerminalError) {
        func chosen(_ text: String) throws(TerminalError) -> [String]? {
            let words = text.split(separator: " ").map { String($0) }
            guard let name = words.first else { return nil }
            guard let path = find(name) else { throw TerminalError("'\(name)' is not installed") }
            return [path] + (words.count > 1 ? Array(words.dropFirst()) : Self.separator(of: name))
        }
        if let setting, let words = try chosen(setting) {
            self.words = words
        } else if let path = find("xdg-terminal-exec") {
            words = [path]
        } else if let variable = environment["TERMINAL"], let words = try chosen(variable) {
            self.words = words
        } else {
            for name in Self.known {
                guard let path = find(name) else { continue }
                words = [path] + Self.separator(of: name)
                return
            }
            throw TerminalError(
                "no terminal is installed that is known here: install xdg-terminal-exec, or set "
                    + "TERMINAL, or --terminal of pickerd-desktop")
        }
    }

    /// Those that are looked for, in this order: of desktops before others.
    static let known = [
        "x-terminal-emulator", "ptyxis", "kgx", "gnome-terminal", "konsole", "xfce4-terminal",
        "mate-terminal", "tilix", "terminator", "lxterminal", "qterminal", "ghostty", "foot",
        "kitty", "wezterm", "alacritty", "st", "urxvt", "xterm",
    ]

    /// What stands between a terminal and a command.
    private static func separator(of name: String) -> [String] {
        switch name.split(separator: "/").last.map({ String($0) }) ?? name {
        case "xdg-terminal-exec", "foot", "footclient", "kitty": []
        case "gnome-terminal", "ptyxis", "kgx": ["--"]
        case "wezterm": ["start", "--"]
        case "xfce4-terminal", "mate-terminal", "terminator": ["-x"]
        default: ["-e"]
        }
    }
}

/// Why no terminal can be started.
package struct TerminalError: Error, Hashable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
