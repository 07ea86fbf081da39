internal import TerminalCells

// What is accepted. The disk is asked before, since what is shown may be old, and the answer decides.

extension BrowseState {
    /// Goes into the folder under the cursor, or accepts the one that is shown.
    mutating func enter(seen: Int?) {
        if isChanged(since: seen) { return }
        switch rowAtCursor {
        case nil: goIn()
        case .here?: acceptHere()
        case .entry(let entry)? where entry.isFolder:
            go(to: FolderPath.path(folder, entry.name))
        case .entry(let entry)?: take(nameOf: entry)
        }
    }

    /// Whether something else than in a frame is under the cursor, which was not sent there.
    private mutating func isChanged(since frame: Int?) -> Bool {
        guard let frame, let seen = frames.last(where: { $0.number == frame }),
            seen.moves == moves, seen.name != cursor.name
        else { return false }
        let name = seen.name.map { String(decoding: $0, as: UTF8.self) } ?? "."
        message = "'\(name)' is gone"
        return true
    }

    /// The name of a file becomes the one that is typed.
    private mutating func take(nameOf entry: FolderEntry) {
        guard let text = String(validating: entry.name, as: UTF8.self) else {
            message = "'\(entry.text)' is not UTF-8, and can't be typed"
            return
        }
        name = NameLine(text)
        isNaming = true
        filter = QueryLine()
        filterRows()
        send(to: 0)
    }

    /// Accepts the folder that is shown, or, if a folder is chosen, the one under the cursor.
    mutating func accept(seen: Int?) {
        if isChanged(since: seen) { return }
        if options.isSave { return acceptHere() }
        switch rowAtCursor {
        case nil: message = nothingFound
        case .here?: acceptHere()
        case .entry(let entry)?:
            ask(.findFolder(entry.name), .choose(FolderPath.path(folder, entry.name)))
        }
    }

    private mutating func acceptHere() {
        guard options.isSave else { return ask(.find, .choose(folder)) }
        if let problem = Self.problem(with: name.text) {
            isNaming = true
            message = problem
            return
        }
        let name = Array(self.name.text.utf8)
        ask(.findPlace(name), .save(name))
    }

    /// Makes a folder in the one that is shown.
    mutating func makeFolder(_ name: String) {
        if let problem = Self.problem(with: name) {
            message = problem
            return
        }
        let bytes = Array(name.utf8)
        ask(.makeFolder(bytes), .enter(FolderPath.path(folder, bytes)))
    }

    /// Why no file can have a name; nil if one can.
    static func problem(with name: String) -> String? {
        if name.allSatisfy(\.isWhitespace) { return "There is no name yet: type one" }
        if name.utf8.contains(UInt8(ascii: "/")) {
            return "A name can't have a '/' in it: that is what separates folders"
        }
        if name == "." || name == ".." { return "'\(name)' is the name of a folder" }
        let count = name.utf8.count
        return count > 255 ? "The name has \(count) bytes, and can have 255 at most" : nil
    }

    private mutating func ask(_ deed: FolderRequest.Deed, _ next: PendingDeed.Next) {
        pending = PendingDeed(
            request: FolderRequest(number: nextNumber(), folder: folder, deed), next: next)
    }

    mutating func take(_ answer: FolderAnswer, to request: Int) {
        guard let pending, pending.request.number == request else { return }
        self.pending = nil
        switch (pending.next, answer) {
        case (.choose(let path), .done): outcome = .folder(path)
        case (.save(let name), .free): save(name, isThere: false)
        case (.save(let name), .file): overlay = .overwrite(name)
        case (.save(let name), .folder):
            let name = String(decoding: name, as: UTF8.self)
            refuse("'\(name)' is a folder here: choose another name")
        case (.enter(let path), .done):
            overlay = nil
            go(to: path)
        case (_, .refused(let why)): refuse(why)
        default: break
        }
        if outcome != nil { held = [] }
    }

    /// What was typed after it was meant for another answer.
    private mutating func refuse(_ why: String) {
        message = why
        held = []
    }

    mutating func save(_ name: [UInt8], isThere: Bool) {
        outcome = .saved(folder: folder, name: name, isThere: isThere)
    }
}
