/// What came from a terminal.
package enum TerminalInput: Hashable, Sendable {
    case key(KeyPress)
    /// Typed text: characters without control bytes.
    case text(String)
    /// Pasted text, with blanks for control bytes. What is longer than 64 KiB was cut.
    case paste(String, wasCut: Bool)
    case mouse(MouseEvent)
    /// The answer to a question of where the cursor is.
    case cursorPosition(CellPlace)
    /// The answer to a question of what the terminal can do.
    case report(TerminalReport)
}

/// A key that is not a character, or a character with a modifier.
package struct KeyPress: Hashable, Sendable {
    package enum Code: Hashable, Sendable {
        /// In lower case, with control or alt.
        case character(Character)
        case enter, escape, tab, backspace, delete, insert
        case up, down, left, right, home, end, pageUp, pageDown
        case function(Int)
    }

    package struct Modifiers: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let shift = Modifiers(rawValue: 1)
        package static let alt = Modifiers(rawValue: 2)
        package static let control = Modifiers(rawValue: 4)
    }

    package var code: Code
    package var modifiers: Modifiers

    package init(_ code: Code, _ modifiers: Modifiers = []) {
        self.code = code
        self.modifiers = modifiers
    }
}

/// What was done with the mouse.
package struct MouseEvent: Hashable, Sendable {
    package enum Action: Hashable, Sendable { case press, release, drag, wheelUp, wheelDown }

    package var action: Action
    /// 0 is the left one, 1 the middle one, 2 the right one.
    package var button: Int
    package var place: CellPlace
    package var modifiers: KeyPress.Modifiers

    package init(
        _ action: Action, button: Int = 0, at place: CellPlace,
        modifiers: KeyPress.Modifiers = []
    ) {
        self.action = action
        self.button = button
        self.place = place
        self.modifiers = modifiers
    }
}
