internal import PickerClient

// Enter takes what was seen. The row that is under the cursor now may be another one than that which was on the screen
// when the key was pressed.

extension PickState {
    mutating func accept(seen: Int?) {
        if options.mode == .watch { return keepSearch() }
        if let fault {
            message = fault.message
            return
        }
        if options.isMulti, !marks.isEmpty { return acceptMarks() }
        guard isAnswered else {
            message = "There are no rows for this yet"
            return
        }
        accept(wasSeen(in: seen), isSeen: seen != nil)
    }

    /// What was under the cursor in a frame: if the cursor has not been sent elsewhere since.
    private func wasSeen(in frame: Int?) -> ListItem? {
        guard let frame, let seen = frames.last(where: { $0.number == frame }),
            seen.isAnswered, seen.moves == moves
        else { return cursor.item }
        return seen.item
    }

    private mutating func accept(_ item: ListItem?, isSeen: Bool) {
        guard let item else {
            if (rows?.total ?? 0) == 0 || isSeen && cursor.item != nil {
                outcome = .nothing
            } else {
                message = "The row under the cursor is not there yet"
            }
            return
        }
        if item.key != cursor.key, vanished.contains(item.key) {
            message = "'\(item.name ?? item.key)' is gone"
            return
        }
        let newest = rows?.items.first { $0.key == item.key }
        outcome = .picked([newest ?? item])
    }

    /// Takes what is marked, after a question if some of it is gone.
    private mutating func acceptMarks() {
        if marks.isSeeking {
            message = "Marked documents are still being looked for"
            return
        }
        if !marks.hasGone {
            outcome = .picked(marks.present)
            return
        }
        let gone = marks.gone.count
        let rest = marks.count - gone
        let end =
            rest == 0 ? "Enter unmarks them" : "Enter prints the \(rest == 1 ? "other" : "\(rest)")"
        overlay = .question(
            Question(
                deed: .acceptRest,
                text:
                    "\(gone) of \(marks.count) \(gone == 1 ? "is" : "are") gone: \(end), Esc goes back"
            ))
    }

    /// Takes the marked documents that are there.
    mutating func acceptRest() {
        let rest = marks.present
        if rest.isEmpty {
            marks.removeGone()
        } else {
            outcome = .picked(rest)
        }
    }
}
