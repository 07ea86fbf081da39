internal import TerminalCells

/// What a key asks for. The keys are fzf's where it has the same.
enum PickKey {
    // The line
    case lineStart, lineEnd, left, right, wordLeft, wordRight
    case deleteBackward, deleteForward, deleteOrEnd, deleteBlankWord, deleteWordBackward
    case deleteWordForward, deleteToStart, yank
    // The list
    case up, down, pageUp, pageDown, first, last, home, end, leftTile, rightTile
    // Marks
    case tab, tabUp, markAll, invert, markRange
    // The order, actions
    case nextSort, reverseSort, offer, like, drop, trash, undo
    // What is seen
    case help, toggleGrid, togglePreview, toggleWrap, previewUp, previewDown
    case accept, cancel, interrupt, quit

    /// What a key asks for; nil for a key without a meaning.
    init?(_ key: KeyPress) {
        let found: PickKey? =
            switch key.modifiers {
            case []: Self.plain(key.code)
            case .shift: Self.shifted(key.code)
            case .control: Self.withControl(key.code)
            case .alt: Self.withAlt(key.code)
            default: nil
            }
        guard let found else { return nil }
        self = found
    }

    private static func plain(_ code: KeyPress.Code) -> PickKey? {
        switch code {
        case .enter: .accept
        case .escape: .cancel
        case .tab: .tab
        case .backspace: .deleteBackward
        case .delete: .deleteForward
        case .up: .up
        case .down: .down
        case .left: .left
        case .right: .right
        case .home: .home
        case .end: .end
        case .pageUp: .pageUp
        case .pageDown: .pageDown
        case .function(1): .help
        default: nil
        }
    }

    private static func shifted(_ code: KeyPress.Code) -> PickKey? {
        switch code {
        case .tab: .tabUp
        case .up: .previewUp
        case .down: .previewDown
        case .left: .wordLeft
        case .right: .wordRight
        default: nil
        }
    }

    private static func withControl(_ code: KeyPress.Code) -> PickKey? {
        switch code {
        case .character("a"): .lineStart
        case .character("e"): .lineEnd
        case .character("b"): .left
        case .character("f"): .right
        case .character("h"): .deleteBackward
        case .character("d"): .deleteOrEnd
        case .character("w"): .deleteBlankWord
        case .character("u"): .deleteToStart
        case .character("y"): .yank
        case .character("k"), .character("p"): .up
        case .character("j"), .character("n"): .down
        case .character("c"): .interrupt
        case .character("\\"): .quit
        case .character("g"), .character("q"): .cancel
        case .character("s"): .nextSort
        case .character("o"): .offer
        case .character(" "), .character("@"): .markRange
        case .character("/"): .toggleWrap
        case .character("m"): .accept
        case .character("i"): .tab
        case .home: .first
        case .end: .last
        default: nil
        }
    }

    private static func withAlt(_ code: KeyPress.Code) -> PickKey? {
        switch code {
        case .character("b"), .left: .wordLeft
        case .character("f"), .right: .wordRight
        case .character("d"): .deleteWordForward
        case .backspace: .deleteWordBackward
        case .character("s"): .reverseSort
        case .character("a"): .markAll
        case .character("i"): .invert
        case .character("l"): .like
        case .character("x"): .drop
        case .character("z"): .undo
        case .character("g"): .toggleGrid
        case .character("p"): .togglePreview
        case .character("t"): .first
        case .delete: .trash
        default: nil
        }
    }

    /// Whether it has a meaning in a watch, in which nothing is chosen, marked or done.
    var isOfWatch: Bool {
        switch self {
        case .tabUp, .markAll, .invert, .markRange, .offer, .like, .drop, .trash, .undo,
            .toggleGrid, .togglePreview, .toggleWrap, .previewUp, .previewDown:
            false
        default: true
        }
    }

    /// Whether it is about rows, and so waits for those of the typed query.
    var needsRows: Bool {
        switch self {
        case .up, .down, .pageUp, .pageDown, .first, .last, .leftTile, .rightTile, .tab, .tabUp,
            .markAll, .invert, .markRange, .offer, .like, .drop, .trash, .accept:
            true
        default: false
        }
    }

    /// Whether it changes the order.
    var isOrder: Bool { self == .nextSort || self == .reverseSort }

    /// Whether it is about the document under the cursor.
    var needsItem: Bool {
        switch self {
        case .tab, .tabUp, .markRange, .offer, .like, .drop, .trash, .accept: true
        default: false
        }
    }
}
