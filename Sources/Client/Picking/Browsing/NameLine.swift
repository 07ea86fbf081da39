/// The line in which the name of a file is typed. At first the name without its extension is selected: what is typed
/// takes its place.
package struct NameLine: Equatable, Sendable {
    package private(set) var line: QueryLine
    /// The selected characters at the start; 0 if none are.
    package private(set) var selected: Int

    package init(_ name: String) {
        line = QueryLine(name)
        selected = Self.stem(of: name)
        line.move(to: selected)
    }

    package var text: String { line.text }

    /// The characters before the extension; all if there is none. `.tar.gz` is one.
    static func stem(of name: String) -> Int {
        let characters = Array(name)
        guard let dot = characters.lastIndex(of: "."), dot > 0 else { return characters.count }
        let tar = Array(".tar")
        let isTar = dot > tar.count && Array(characters[(dot - tar.count)..<dot]) == tar
        return isTar ? dot - tar.count : dot
    }

    package mutating func insert(_ text: String) {
        if selected > 0 { line.replace(0..<selected, with: "") }
        selected = 0
        line.insert(text)
    }

    /// What a key of a line does.
    /// - Returns: whether it is one.
    mutating func take(_ key: PickKey) -> Bool {
        let selected = selected
        self.selected = 0
        switch key {
        case .deleteBackward where selected > 0, .deleteForward where selected > 0,
            .deleteOrEnd where selected > 0:
            line.replace(0..<selected, with: "")
            return true
        case .left where selected > 0:
            line.moveToStart()
            return true
        case .right where selected > 0: return true
        default:
            if line.take(key) { return true }
            self.selected = selected
            return false
        }
    }
}
