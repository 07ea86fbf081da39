/// What is said of the list.
enum StatusLine {
    static func text(of state: PickState) -> String {
        var parts: [String] = []
        if let rows = state.rows {
            let isWhole = rows.isComplete && state.isAnswered
            let place =
                rows.total == 0 || state.options.mode == .watch ? "" : "\(state.cursor.place + 1)/"
            parts.append(place + "\(rows.total)" + (isWhole ? "" : " …"))
        } else {
            parts.append("…")
        }
        switch state.link {
        case .connecting: parts.append("connecting")
        case .reconnecting: parts.append("reconnecting")
        case .connected: break
        }
        if !state.marks.isEmpty {
            let gone = state.marks.gone.count
            parts.append("\(state.marks.count) marked" + (gone == 0 ? "" : ", \(gone) gone"))
        }
        if state.newAbove > 0 { parts.append("\(state.newAbove) new above") }
        parts.append("by " + order(of: state))
        if !state.held.isEmpty { parts.append("waiting") }
        if state.pendingRange != nil { parts.append("looking") }
        if !state.commands.isEmpty { parts.append("working") }
        return parts.joined(separator: " · ")
    }

    /// That by score has what decides between equally good ones behind it, which is not said.
    private static func order(of state: PickState) -> String {
        let keys = state.sort
        let isUsual = state.order == state.options.scoreSort
        return (isUsual ? keys[..<1] : keys[...]).joined(separator: ",")
    }
}
