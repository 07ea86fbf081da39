// The sequences of xterm and those who follow it, of rxvt, and of the console of Linux.

enum InputSequence {
    enum Meaning: Equatable {
        case input(TerminalInput)
        case pasteBegins
        /// A report of the mouse, of which three bytes are still to come.
        case oldMouse
    }

    /// What a sequence means that begins with ESC [.
    static func meaning(of bytes: [UInt8], _ final: UInt8) -> Meaning? {
        if bytes.first == UInt8(ascii: "<") {
            return mouse(bytes.dropFirst(), isRelease: final == UInt8(ascii: "m"), final)
        }
        if bytes.first == UInt8(ascii: "?"), final == UInt8(ascii: "c") {
            return numbers(bytes.dropFirst()).map { .input(.report(.attributes($0))) }
        }
        guard let numbers = numbers(bytes[...]) else { return nil }
        switch UnicodeScalar(final) {
        case "~" where numbers.first == 200: return .pasteBegins
        case "~": return key(numbered: numbers, [])
        // rxvt says modifiers by the last byte.
        case "$": return key(numbered: numbers, .shift)
        case "^": return key(numbered: numbers, .control)
        case "@": return key(numbered: numbers, [.control, .shift])
        case "R" where numbers.count >= 2:
            guard numbers[0] > 0, numbers[1] > 0 else { return nil }
            return .input(
                .cursorPosition(CellPlace(row: numbers[0] - 1, column: numbers[1] - 1)))
        case "t" where numbers.count == 3 && numbers[0] == 6:
            let size = CellPixels(width: numbers[2], height: numbers[1])
            return size.map { .input(.report(.cellSize($0))) }
        case "Z": return .input(.key(KeyPress(.tab, .shift)))
        case "M" where bytes.isEmpty: return .oldMouse
        case "a", "b", "c", "d":
            // rxvt again: an arrow with shift.
            return arrow(final - 0x20).map { .input(.key(KeyPress($0, .shift))) }
        default:
            guard let code = arrow(final) ?? function(final) else { return nil }
            return .input(.key(KeyPress(code, modifiers(numbers))))
        }
    }

    /// The key of a control character other than ESC.
    static func controlKey(_ byte: UInt8) -> KeyPress {
        switch byte {
        case 0x00: KeyPress(.character(" "), .control)
        case 0x08, 0x7F: KeyPress(.backspace)
        case 0x09: KeyPress(.tab)
        case 0x0D: KeyPress(.enter)
        case 0x01...0x1A: KeyPress(.character(Character(Unicode.Scalar(byte + 0x60))), .control)
        // Terminals send the same for ctrl-_, which nobody types.
        case 0x1F: KeyPress(.character("/"), .control)
        default: KeyPress(.character(Character(Unicode.Scalar(byte + 0x40))), .control)
        }
    }

    /// The key of a byte after ESC O.
    static func shiftedKey(_ byte: UInt8) -> KeyPress? {
        switch UnicodeScalar(byte) {
        case "M": return KeyPress(.enter)
        case "a", "b", "c", "d": return arrow(byte - 0x20).map { KeyPress($0, .control) }
        default: return (arrow(byte) ?? function(byte)).map { KeyPress($0) }
        }
    }

    /// What a text for programs says that begins with its sort: "_" stands for APC, in which kitty's protocol answers.
    static func report(of text: [UInt8]) -> TerminalReport? {
        guard text.starts(with: Array("_G".utf8)), let end = text.firstIndex(of: UInt8(ascii: ";"))
        else { return nil }
        return .kittyGraphics(text[(end + 1)...].elementsEqual("OK".utf8))
    }

    static func isNumber(_ bytes: [UInt8]) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy { 0x30...0x39 ~= $0 }
    }

    private static func arrow(_ final: UInt8) -> KeyPress.Code? {
        switch UnicodeScalar(final) {
        case "A": .up
        case "B": .down
        case "C": .right
        case "D": .left
        case "H": .home
        case "F": .end
        default: nil
        }
    }

    private static func function(_ final: UInt8) -> KeyPress.Code? {
        // "P" to "S".
        0x50...0x53 ~= final ? .function(Int(final) - 0x4F) : nil
    }

    private static func key(numbered numbers: [Int], _ more: KeyPress.Modifiers) -> Meaning? {
        let code: KeyPress.Code
        switch numbers.first ?? 0 {
        case 1, 7: code = .home
        case 2: code = .insert
        case 3: code = .delete
        case 4, 8: code = .end
        case 5: code = .pageUp
        case 6: code = .pageDown
        case let number where 11...15 ~= number: code = .function(number - 10)
        case let number where 17...21 ~= number: code = .function(number - 11)
        case let number where 23...24 ~= number: code = .function(number - 12)
        default: return nil
        }
        return .input(.key(KeyPress(code, modifiers(numbers).union(more))))
    }

    /// The second number is one more than the sum of shift 1, alt 2, control 4 and meta 8.
    private static func modifiers(_ numbers: [Int]) -> KeyPress.Modifiers {
        guard numbers.count > 1, 2...16 ~= numbers[1] else { return [] }
        let sum = numbers[1] - 1
        var modifiers: KeyPress.Modifiers = []
        if sum & 1 != 0 { modifiers.insert(.shift) }
        if sum & (2 | 8) != 0 { modifiers.insert(.alt) }
        if sum & 4 != 0 { modifiers.insert(.control) }
        return modifiers
    }

    private static func mouse(
        _ bytes: ArraySlice<UInt8>, isRelease: Bool, _ final: UInt8
    ) -> Meaning? {
        guard isRelease || final == UInt8(ascii: "M"), let numbers = numbers(bytes),
            numbers.count == 3, numbers[1] > 0, numbers[2] > 0, numbers[0] < 128
        else { return nil }
        let button = numbers[0] & 3
        let action: MouseEvent.Action
        switch (numbers[0] & 64 != 0, numbers[0] & 32 != 0, button) {
        case (true, _, 0): action = .wheelUp
        case (true, _, 1): action = .wheelDown
        case (true, _, _): return nil
        case (_, _, 3): return nil
        case (_, true, _): action = .drag
        default: action = isRelease ? .release : .press
        }
        var modifiers: KeyPress.Modifiers = []
        if numbers[0] & 4 != 0 { modifiers.insert(.shift) }
        if numbers[0] & 8 != 0 { modifiers.insert(.alt) }
        if numbers[0] & 16 != 0 { modifiers.insert(.control) }
        let isWheel = numbers[0] & 64 != 0
        return .input(
            .mouse(
                MouseEvent(
                    action, button: isWheel ? 0 : button,
                    at: CellPlace(row: numbers[2] - 1, column: numbers[1] - 1),
                    modifiers: modifiers)))
    }

    /// Numbers between semicolons, of which those that are left out are 0. Nil if there is anything else, or a number
    /// that no terminal has reason to send.
    private static func numbers(_ bytes: ArraySlice<UInt8>) -> [Int]? {
        if bytes.isEmpty { return [] }
        var numbers = [0]
        for byte in bytes {
            switch byte {
            case 0x30...0x39:
                numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + Int(byte) - 0x30
                if numbers[numbers.count - 1] > 65535 { return nil }
            case UInt8(ascii: ";"): numbers.append(0)
            default: return nil
            }
        }
        return numbers
    }
}
