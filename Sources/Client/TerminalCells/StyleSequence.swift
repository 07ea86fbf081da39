// SGR: the sequences that change how a terminal draws.

extension PackedStyle {
    /// The shortest sequence that makes a terminal that draws in one style draw in another; nothing if they are equal.
    static func sequence(from old: PackedStyle, to new: PackedStyle) -> [UInt8] {
        if old == new { return [] }
        var anew = Codes()
        if new != .plain { anew.add(0) }
        anew.add(from: .plain, to: new)
        var change = Codes()
        change.add(from: old, to: new)
        let shorter = change.bytes.count < anew.bytes.count ? change : anew
        return [0x1B, 0x5B] + shorter.bytes + [0x6D]
    }

    /// The numbers of a sequence.
    private struct Codes {
        private(set) var bytes: [UInt8] = []

        mutating func add(_ code: Int) {
            if !bytes.isEmpty { bytes.append(0x3B) }
            bytes.append(decimal: code)
        }

        mutating func add(from old: PackedStyle, to new: PackedStyle) {
            var old = old
            let weight = PackedStyle.bold | PackedStyle.dim
            // One code ends both.
            if old.attributes & ~new.attributes & weight != 0 {
                add(22)
                old.attributes &= ~weight
            }
            add(PackedStyle.bold, from: old, to: new, on: 1, off: 22)
            add(PackedStyle.dim, from: old, to: new, on: 2, off: 22)
            add(PackedStyle.italic, from: old, to: new, on: 3, off: 23)
            add(PackedStyle.underlined, from: old, to: new, on: 4, off: 24)
            add(PackedStyle.reversed, from: old, to: new, on: 7, off: 27)
            add(PackedStyle.struckOut, from: old, to: new, on: 9, off: 29)
            if old.foreground != new.foreground { add(new.foreground, first: 30, bright: 90) }
            if old.background != new.background { add(new.background, first: 40, bright: 100) }
        }

        private mutating func add(
            _ attribute: UInt32, from old: PackedStyle, to new: PackedStyle, on: Int, off: Int
        ) {
            if old.has(attribute) != new.has(attribute) { add(new.has(attribute) ? on : off) }
        }

        private mutating func add(_ color: TerminalColor, first: Int, bright: Int) {
            switch color {
            case .standard: add(first + 9)
            case .indexed(let index) where index < 8: add(first + Int(index))
            case .indexed(let index) where index < 16: add(bright + Int(index) - 8)
            case .indexed(let index): [first + 8, 5, Int(index)].forEach { add($0) }
            case .rgb(let red, let green, let blue):
                [first + 8, 2, Int(red), Int(green), Int(blue)].forEach { add($0) }
            }
        }
    }
}

extension [UInt8] {
    /// Adds a number that is not negative, in decimal.
    mutating func append(decimal number: Int) {
        if number >= 10 { append(decimal: number / 10) }
        append(UInt8(0x30 + number % 10))
    }
}
