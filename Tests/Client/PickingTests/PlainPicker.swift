import PickerClient
import Picking

/// A picker that has the whole list, as it was with the last answer: the rules of the cursor and the marks, and nothing
/// of windows.
struct PlainPicker {
    var list: [ListItem] = []
    /// The part of it that was told: who takes the place of a vanished document must be in it.
    var window: [ListItem] = []
    var number = -1
    /// The lines of the screen, and the rows in each: several in a grid.
    var height: Int
    let perLine: Int
    var place = 0
    var row = 0
    var hasMoved = false
    var handPlace = 0
    var key: String?
    var landsAtTop = false
    var marks: [String] = []

    init(height: Int, perLine: Int = 1) {
        self.height = height
        self.perLine = perLine
    }

    var newAbove: Int { hasMoved ? max(0, place - handPlace) : 0 }

    /// The rows on the screen.
    var seen: Int { height * perLine }

    /// The names on the screen.
    var painted: [String] {
        list.dropFirst((place / perLine - row) * perLine).prefix(seen).map { $0.name ?? "" }
    }

    mutating func fit() {
        let (line, lines) = (place / perLine, (list.count + perLine - 1) / perLine)
        let top = max(0, min(line - min(row, height - 1), lines - height))
        row = min(line - top, height - 1)
    }

    private mutating func goToTop() {
        (place, row, hasMoved, handPlace) = (0, 0, false, 0)
        key = list.first?.key
    }

    mutating func move(to target: Int) {
        let target = max(0, min(target, list.count - 1))
        if list.isEmpty || target == place { return }
        row = max(0, min(row + target / perLine - place / perLine, height - 1))
        (place, handPlace, hasMoved, key) = (target, target, true, list[target].key)
        fit()
    }

    mutating func moveToTop() {
        goToTop()
        fit()
    }

    mutating func toggleMark() {
        guard let key else { return }
        if let index = marks.firstIndex(of: key) {
            marks.remove(at: index)
        } else {
            marks.append(key)
        }
    }

    /// The answer's window counts only for what can't be known without it.
    mutating func take(_ answer: ListServer.Answer) {
        let update = answer.update
        let inWindow = Set(update.items.map(\.key))
        let isToLand = landsAtTop && update.query != number
        if hasMoved, !isToLand, let key, !answer.list.isEmpty, update.place != .anchor(key),
            !inWindow.contains(key)
        {
            return
        }
        let isOther = update.query != number
        let old = window
        window = update.items
        let isFirst = number < 0
        (list, number) = (answer.list, update.query)
        if isFirst || isOther && landsAtTop || !hasMoved || list.isEmpty {
            goToTop()
        } else if let key {
            if let index = list.firstIndex(where: { $0.key == key }) {
                place = index
                if isOther { handPlace = index }
            } else if isOther {
                goToTop()
            } else {
                let index = old.firstIndex { $0.key == key } ?? old.count
                let below = old[index...].map(\.key).first { inWindow.contains($0) }
                let above = old[..<index].map(\.key).last { inWindow.contains($0) }
                self.key = index == old.count ? nil : below ?? above
                place = list.firstIndex { $0.key == self.key } ?? min(place, list.count - 1)
            }
        }
        place = max(0, min(place, list.count - 1))
        if key == nil, list.indices.contains(place), inWindow.contains(list[place].key) {
            key = list[place].key
        }
        fit()
    }
}
