internal import PickerClient
internal import TerminalCells

// What is done to documents, and taken back.

extension PickState {
    /// The most documents of one command.
    static let mostTargets = 1000

    /// The marked documents, or else that under the cursor; empty, with a message, if they are too many.
    private mutating func targets() -> [ListItem] {
        let items = marks.isEmpty ? [cursor.item].compactMap { $0 } : marks.present
        if items.count <= Self.mostTargets { return items }
        message =
            "No more than \(Self.mostTargets) documents are taken at once; \(items.count) are marked"
        return []
    }

    private mutating func command(_ deed: PickCommand.Deed) {
        commands.append(PickCommand(id: nextNumber(), deed))
    }

    // MARK: Likes, drops, the trash

    /// Likes documents; if all of them are liked, no longer.
    mutating func like() {
        let items = targets()
        let isWanted = !items.allSatisfy(\.isLiked)
        let keys = items.filter { $0.isLiked != isWanted }.map(\.key)
        if !keys.isEmpty { command(.like(keys: keys, isWanted)) }
    }

    mutating func drop() {
        let keys = targets().map(\.key)
        if !keys.isEmpty { command(.drop(keys: keys)) }
    }

    mutating func askForTrash() {
        let items = targets()
        guard let first = items.first else { return }
        let what = items.count == 1 ? "'\(first.name ?? first.key)'" : "\(items.count) documents"
        overlay = .question(
            Question(deed: .trash(items.map(\.key)), text: "Move \(what) to the trash? y/n"))
    }

    mutating func answer(_ question: Question) {
        overlay = nil
        switch question.deed {
        case .trash(let keys): command(.run("documents.trash", keys: keys, isConfirmed: true))
        case .run(let action, let keys): command(.run(action.id, keys: keys, isConfirmed: true))
        case .acceptRest: acceptRest()
        }
    }

    // MARK: Actions

    mutating func askForOffer() {
        let keys = targets().map(\.key)
        if keys.isEmpty { return }
        overlay = .actions(ActionMenu(number: nextNumber(), keys: keys))
    }

    mutating func offer(_ actions: [DocumentAction], _ request: Int) {
        guard case .actions(var menu)? = overlay, menu.number == request else { return }
        menu.actions = menu.keys.count == 1 ? actions : actions.filter(\.takesMany)
        overlay = .actions(menu)
    }

    /// Runs the chosen action, after a question if it changes files.
    mutating func run(_ menu: ActionMenu) {
        guard let actions = menu.actions, actions.indices.contains(menu.selected) else { return }
        let action = actions[menu.selected]
        overlay = nil
        if action.writes {
            overlay = .question(
                Question(deed: .run(action, menu.keys), text: "\(action.title)? y/n"))
        } else {
            command(.run(action.id, keys: menu.keys, isConfirmed: false))
        }
    }

    // MARK: What was done

    mutating func finish(_ id: Int, _ failure: String?, _ uris: [String]) {
        guard let index = commands.firstIndex(where: { $0.id == id }) else { return }
        let deed = commands.remove(at: index).deed
        if let failure { message = failure }
        // What takes a deed back is not taken back itself.
        if undoing.remove(id) != nil { return }
        switch deed {
        case .like(let keys, let isLiked) where failure == nil:
            let text = isLiked ? "liked" : "no longer liked"
            remember(.like(keys: keys, !isLiked), "\(Self.count(keys)) \(text)")
        case .drop(let keys) where failure == nil:
            marks.remove(Set(keys))
            remember(.restore(keys: keys), "\(Self.count(keys)) dropped")
        case .run("documents.trash", let keys, _) where !uris.isEmpty:
            if failure == nil { marks.remove(Set(keys)) }
            remember(.untrash(uris: uris), "\(Self.count(uris)) in the trash")
        default: break
        }
    }

    private static func count(_ things: [String]) -> String {
        things.count == 1 ? "1 document" : "\(things.count) documents"
    }

    private mutating func remember(_ deed: PickCommand.Deed, _ text: String) {
        if undo.count == UndoStep.most { undo.removeFirst() }
        undo.append(UndoStep(deed: deed, text: text))
        if message == nil { message = "\(text); alt-z takes it back" }
    }

    mutating func takeBack() {
        guard let step = undo.popLast() else {
            message = "There is nothing to take back"
            return
        }
        message = "Taken back: \(step.text)"
        command(step.deed)
        undoing.insert(lastNumber)
    }
}
