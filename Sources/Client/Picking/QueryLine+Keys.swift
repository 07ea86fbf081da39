extension QueryLine {
    /// What a key of the line does. Those that have another meaning where nothing is typed are no such keys then.
    /// - Returns: whether it is one.
    mutating func take(_ key: PickKey) -> Bool {
        switch key {
        case .lineStart: moveToStart()
        case .lineEnd: moveToEnd()
        case .home where !isEmpty: moveToStart()
        case .end where !isEmpty: moveToEnd()
        case .left: move(by: -1)
        case .right: move(by: 1)
        case .wordLeft: moveWordBackward()
        case .wordRight: moveWordForward()
        case .deleteBackward: deleteBackward()
        case .deleteForward: deleteForward()
        case .deleteOrEnd where !isEmpty: deleteForward()
        case .deleteBlankWord: deleteBlankWord()
        case .deleteWordBackward: deleteWordBackward()
        case .deleteWordForward: deleteWordForward()
        case .deleteToStart: deleteToStart()
        case .yank: yank()
        default: return false
        }
        return true
    }
}
