/// Turns what a terminal sends into keys and text.
package struct InputParser: Sendable {
    private var pending: [UInt8] = []

    package init() {}

    /// Whether an escape is there that may be a key or the start of one.
    package var isWaiting: Bool { !pending.isEmpty }

    /// What the bytes complete.
    package mutating func take(_ bytes: some Sequence<UInt8>) -> [TerminalInput] {
        var found: [TerminalInput] = []
        for byte in bytes {
            pending.append(byte)
            if let input = complete() {
                found.append(input)
                pending = []
            }
        }
        return found
    }

    /// No more comes: an escape is the key.
    package mutating func giveUp() -> [TerminalInput] {
        defer { pending = [] }
        return pending == [0x1b] ? [.key(KeyPress(.escape))] : []
    }

    private mutating func complete() -> TerminalInput? {
        if pending.count == 1 { return single(pending[0]) }
        if pending[0] == 0x1b {
            if pending.count == 2 {
                return pending[1] == 0x5b || pending[1] == 0x4f
                    ? nil : .key(KeyPress(.character(Character(Unicode.Scalar(pending[1]))), .alt))
            }
            let last = pending[pending.count - 1]
            guard (0x40...0x7e).contains(last) || pending.count > 32 else { return nil }
            let codes: [UInt8: KeyPress.Code] = [0x41: .up, 0x42: .down, 0x43: .right, 0x44: .left]
            return .key(KeyPress(codes[last] ?? .function(0)))
        }
        if let text = String(validating: pending, as: UTF8.self) { return .text(text) }
        if pending.count >= 4 { pending = [] }
        return nil
    }

    private func single(_ byte: UInt8) -> TerminalInput? {
        switch byte {
        case 0x0d: .key(KeyPress(.enter))
        case 0x09: .key(KeyPress(.tab))
        case 0x7f: .key(KeyPress(.backspace))
        case 0x1b: nil
        case 0..<0x20:
            .key(KeyPress(.character(Character(Unicode.Scalar(byte + 0x60))), .control))
        case 0x20..<0x80: .text(String(Unicode.Scalar(byte)))
        default: nil
        }
    }
}
