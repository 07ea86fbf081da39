internal import TerminalCells

/// What Enter does, and what is said of the folder.
enum BrowseStatus {
    static func text(of state: BrowseState) -> String {
        var parts: [String] = []
        if case .newFolder? = state.overlay {
            return "Enter makes the folder, Esc goes back"
        }
        if state.pending != nil {
            parts.append("asking the disk")
        } else if state.listing == nil {
            parts.append("reading")
        } else {
            parts.append(action(of: state))
            parts += counts(of: state)
        }
        if !state.held.isEmpty { parts.append("keys wait") }
        parts.append("F1 keys")
        return parts.joined(separator: " · ")
    }

    private static func action(of state: BrowseState) -> String {
        let isSave = state.options.isSave
        switch state.rowAtCursor {
        case nil: return "nothing matches"
        case .here? where !isSave: return "Enter chooses this folder"
        case .here?:
            let name = state.name.text
            if BrowseState.problem(with: name) != nil { return "type a name" }
            return "Enter saves '\(short(name))' here"
        case .entry(let entry)? where entry.isFolder:
            let text = "Enter goes into '\(short(entry.text))'"
            return isSave ? text : text + ", Alt-Enter chooses it"
        case .entry?: return "Enter takes this name"
        }
    }

    /// What is behind a name is to be read, too.
    private static func short(_ name: String) -> String {
        DisplayWidth.truncating(name, to: 24)
    }

    private static func counts(of state: BrowseState) -> [String] {
        guard let listing = state.listing, listing.fault == nil else { return [] }
        let counts = state.counts
        var parts = ["\(counts.folders) \(counts.folders == 1 ? "folder" : "folders")"]
        if state.options.isSave {
            parts.append("\(counts.files) \(counts.files == 1 ? "file" : "files")")
        }
        if counts.hidden > 0 { parts.append("\(counts.hidden) hidden") }
        if listing.isCut { parts.append("only \(FolderListing.mostNames) names") }
        if !listing.isLive { parts.append("changes are not seen") }
        return parts
    }
}
