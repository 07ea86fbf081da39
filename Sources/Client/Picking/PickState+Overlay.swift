internal import PickerClient
internal import TerminalCells

// Keys, while something lies over the list.

extension PickState {
    mutating func handleInOverlay(_ input: TerminalInput) {
        switch input {
        case .text(let text):
            for letter in text where overlay != nil { handleInOverlay(letter) }
        case .key(let press): handleInOverlay(press)
        case .paste, .mouse, .cursorPosition, .report: break
        }
    }

    private mutating func handleInOverlay(_ letter: Character) {
        switch (overlay, letter) {
        case (.question(let question)?, "y"), (.question(let question)?, "Y"): answer(question)
        case (.question?, "n"), (.question?, "N"), (_, "q"): overlay = nil
        case (_, "j"): moveInOverlay(by: 1)
        case (_, "k"): moveInOverlay(by: -1)
        default: break
        }
    }

    private mutating func handleInOverlay(_ press: KeyPress) {
        guard let key = meaning(of: press) else { return }
        switch key {
        case .interrupt: outcome = options.mode == .watch ? .signal(2) : .cancelled
        case .quit: outcome = .signal(3)
        case .cancel, .deleteOrEnd, .help: overlay = nil
        case .offer: if case .actions? = overlay { overlay = nil }
        case .up: moveInOverlay(by: -1)
        case .down: moveInOverlay(by: 1)
        case .pageUp: moveInOverlay(by: -max(1, places.list.rows))
        case .pageDown: moveInOverlay(by: max(1, places.list.rows))
        case .accept:
            switch overlay {
            case .actions(let menu)?: run(menu)
            // What can't be taken back by another key is not done by Enter alone.
            case .question(let question)? where question.deed == .acceptRest: answer(question)
            case .question?: break
            case .help?, nil: overlay = nil
            }
        default: break
        }
    }

    mutating func moveInOverlay(by count: Int) {
        switch overlay {
        case .help(let scroll)?:
            overlay = .help(scroll: max(0, min(scroll + count, HelpText.lines(options).count - 1)))
        case .actions(var menu)?:
            menu.selected = max(0, min(menu.selected + count, (menu.actions?.count ?? 0) - 1))
            overlay = .actions(menu)
        case .question?, nil: break
        }
    }
}
