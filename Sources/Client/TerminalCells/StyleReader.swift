/// Reads the sequences that change how a terminal draws.
enum StyleReader {
    /// Changes a style as the numbers of a sequence say. Those that are not known, or are none, change nothing.
    static func change(_ style: inout CellStyle, by bytes: [UInt8]) {
        // Numbers are between semicolons; parts of one are between colons.
        let groups = bytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            .map { group in
                group.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
                    .map(number)
            }
        var index = 0
        while index < groups.count {
            let group = groups[index]
            index += 1
            guard let code = group[0] else { continue }
            if code == 38 || code == 48 {
                let parts: [Int?]
                if group.count > 1 {
                    // With colons, an rgb color may have the number of a color space before it.
                    parts =
                        group.count > 5 ? [group[1]] + group[3...] : Array(group.dropFirst())
                } else {
                    parts = groups[index...].prefix(4).map { $0[0] }
                    index += parts.first == 5 ? 2 : parts.first == 2 ? 4 : 0
                }
                guard let color = color(parts) else { continue }
                if code == 38 { style.foreground = color } else { style.background = color }
            } else {
                change(&style, by: code, group.count > 1 ? group[1] : nil)
            }
        }
    }

    private static func change(_ style: inout CellStyle, by code: Int, _ part: Int?) {
        switch code {
        case 0: style = .plain
        case 1: style.isBold = true
        case 2: style.isDim = true
        case 3: style.isItalic = true
        case 4: style.isUnderlined = part != 0
        case 7: style.isReversed = true
        case 9: style.isStruckOut = true
        case 21: style.isUnderlined = true
        case 22: (style.isBold, style.isDim) = (false, false)
        case 23: style.isItalic = false
        case 24: style.isUnderlined = false
        case 27: style.isReversed = false
        case 29: style.isStruckOut = false
        case 30...37: style.foreground = .indexed(UInt8(code - 30))
        case 39: style.foreground = .standard
        case 40...47: style.background = .indexed(UInt8(code - 40))
        case 49: style.background = .standard
        case 90...97: style.foreground = .indexed(UInt8(code - 82))
        case 100...107: style.background = .indexed(UInt8(code - 92))
        default: break
        }
    }

    private static func color(_ parts: [Int?]) -> TerminalColor? {
        let bytes = parts.map { $0.flatMap { UInt8(exactly: $0) } }
        switch parts.first {
        case 5: return bytes.count > 1 ? bytes[1].map { .indexed($0) } : nil
        case 2:
            guard bytes.count > 3, let red = bytes[1], let green = bytes[2], let blue = bytes[3]
            else { return nil }
            return .rgb(red, green, blue)
        default: return nil
        }
    }

    /// A number, which is 0 if it is left out.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        var number = 0
        for digit in digits {
            guard 0x30...0x39 ~= digit, number < 1000 else { return nil }
            number = number * 10 + Int(digit) - 0x30
        }
        return number
    }
}
