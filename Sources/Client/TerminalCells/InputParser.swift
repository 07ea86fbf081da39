// What a terminal sends: characters, keys as escape sequences, reports of the mouse, and pasted text.
//
// The bytes may be cut anywhere. An escape alone can't be told from the start of a sequence: the parser waits, and its
// owner says when the time for more is over. Whatever comes, the parser holds a sequence of 64 bytes and a pasted text
// of 64 KiB at most, and typed text comes through again after it.

package struct InputParser {
    private enum State {
        case ground
        /// After ESC.
        case escape
        /// After ESC and a second one, of which it is open what it belongs to.
        case doubleEscape
        /// After ESC [.
        case sequence
        /// After ESC [ [, with which the Linux console begins F1 to F5.
        case console
        /// In a sequence that is too long.
        case dropped
        /// After ESC O.
        case shifted
        /// In a text for programs (OSC, DCS, APC), which ends with ST or BEL. It answers a question, perhaps of some other
        /// program.
        case string
        /// After ESC in such a text.
        case stringEscape
        /// Before so many bytes of a report of the mouse in its old form, which nobody reads.
        case oldMouse(Int)
        case paste
    }

    private var state = State.ground
    private var utf8 = UTF8Reader()
    /// Whether an ESC came before what comes now.
    private var isAlt = false
    /// The bytes of a sequence so far, without those that begin it.
    private var sequence: [UInt8] = []
    private var paste = PastedText()
    private var text = ""
    private var inputs: [TerminalInput] = []
    /// An escape came too late for a sequence, but an answer may follow it.
    private var isLate = false

    /// Whether the terminal was asked something and has not answered all of it. An answer of which a part has come stays
    /// one then, however long the rest takes.
    package var isAsked = false

    /// The most bytes of a sequence.
    static let longestSequence = 64

    package init() {}

    /// Whether a sequence has begun, and may also be the key escape.
    package var isWaiting: Bool {
        switch state {
        case .ground, .paste: false
        default: true
        }
    }

    /// The bytes that are kept of what has not ended.
    package var heldBytes: Int { sequence.count + paste.count }

    /// What bytes mean. Characters that follow one another are one text.
    package mutating func take(_ bytes: some Swift.Sequence<UInt8>) -> [TerminalInput] {
        for byte in bytes { take(byte) }
        return takeInputs()
    }

    /// Ends a sequence that has begun: no more of it came in time.
    package mutating func giveUp() -> [TerminalInput] {
        if isAsked, isInAnswer { return [] }
        let wasLate = isLate
        isLate = false
        switch state {
        case .escape, .doubleEscape:
            if case .doubleEscape = state { tell(.escape) }
            tell(.escape)
            isLate = isAsked
        case .sequence where sequence.isEmpty && wasLate: text = "["
        case .string where sequence.count == 1 && wasLate: text = "_"
        case .sequence where sequence.isEmpty: tellWithAlt("[")
        case .shifted: tellWithAlt("O")
        case .string where sequence.count == 1: tellWithAlt(Unicode.Scalar(sequence[0]))
        default: break
        }
        if isWaiting { state = .ground }
        isAlt = false
        return takeInputs()
    }

    /// Whether what has come of a sequence may be a part of an answer.
    private var isInAnswer: Bool {
        switch state {
        case .sequence: !sequence.isEmpty || !isLate
        case .string: sequence.count > 1 || !isLate
        case .dropped, .stringEscape: true
        default: false
        }
    }

    private mutating func takeInputs() -> [TerminalInput] {
        endText()
        defer { inputs = [] }
        return inputs
    }

    private mutating func endText() {
        if !text.isEmpty { inputs.append(.text(text)) }
        text = ""
    }

    private mutating func tell(_ input: TerminalInput) {
        endText()
        inputs.append(input)
    }

    private mutating func tell(
        _ code: KeyPress.Code, _ modifiers: KeyPress.Modifiers = []
    ) {
        tell(.key(KeyPress(code, isAlt ? modifiers.union(.alt) : modifiers)))
        isAlt = false
    }

    private mutating func tellWithAlt(_ scalar: Unicode.Scalar) {
        isAlt = true
        tell(scalar)
    }

    /// A character with alt: in lower case, which says whether shift was held.
    private mutating func tell(_ scalar: Unicode.Scalar) {
        let lower = scalar.properties.lowercaseMapping
        let isShifted = lower != String(Character(scalar))
        tell(
            .character(isShifted ? lower.first ?? Character(scalar) : Character(scalar)),
            isShifted ? .shift : [])
    }

    // MARK: Bytes

    private mutating func take(_ byte: UInt8) {
        switch state {
        case .ground where isLate && isAsked: takeLate(byte)
        case .ground: takeCharacter(byte)
        case .escape, .doubleEscape: takeAfterEscape(byte)
        case .sequence, .dropped: takeInSequence(byte)
        case .console:
            state = .ground
            if (0x41...0x45).contains(byte) { return tell(.function(Int(byte) - 0x40)) }
            restart(with: byte)
        case .shifted:
            state = .ground
            guard 0x20..<0x7F ~= byte else {
                tellWithAlt("O")
                return take(byte)
            }
            if let key = InputSequence.shiftedKey(byte) { tell(key.code, key.modifiers) }
            isAlt = false
        case .string, .stringEscape: takeInString(byte)
        case .oldMouse(let count): state = count > 1 ? .oldMouse(count - 1) : .ground
        case .paste:
            guard let pasted = paste.take(byte) else { return }
            paste = PastedText()
            state = .ground
            tell(pasted)
        }
    }

    /// Takes what follows an escape that was a key because nothing came in time.
    private mutating func takeLate(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "["):
            sequence = []
            state = .sequence
        case UInt8(ascii: "_"):
            sequence = [byte]
            state = .string
        default:
            isLate = false
            takeCharacter(byte)
        }
    }

    /// Drops a sequence that is none, and reads what broke it.
    private mutating func restart(with byte: UInt8) {
        state = .ground
        isAlt = false
        isLate = false
        take(byte)
    }

    private mutating func takeCharacter(_ byte: UInt8) {
        switch utf8.take(byte) {
        case .incomplete: break
        case .invalid: isAlt = false
        case .cut:
            isAlt = false
            takeCharacter(byte)
        case .scalar(let scalar) where scalar.value < 0x20 || scalar.value == 0x7F: control(byte)
        // C1: control characters as well, but of no key.
        case .scalar(let scalar) where scalar.value < 0xA0 && scalar.value > 0x7F: isAlt = false
        case .scalar(let scalar):
            if isAlt { tell(scalar) } else { text.unicodeScalars.append(scalar) }
        }
    }

    private mutating func control(_ byte: UInt8) {
        if byte == 0x1B {
            state = .escape
        } else {
            let key = InputSequence.controlKey(byte)
            tell(key.code, key.modifiers)
        }
    }

    private mutating func takeAfterEscape(_ byte: UInt8) {
        let isDouble = if case .doubleEscape = state { true } else { false }
        switch byte {
        case 0x1B:
            // Of three, the first one is a key.
            if isDouble { tell(.escape) }
            state = .doubleEscape
        case UInt8(ascii: "["):
            isAlt = isDouble
            sequence = []
            state = .sequence
        case UInt8(ascii: "O"):
            isAlt = isDouble
            state = .shifted
        case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "_"):
            if isDouble { tell(.escape) }
            sequence = [byte]
            state = .string
        default:
            if isDouble { tell(.escape) }
            state = .ground
            isAlt = true
            takeCharacter(byte)
        }
    }

    private mutating func takeInSequence(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "[") where sequence.isEmpty: state = .console
        case UInt8(ascii: "$") where InputSequence.isNumber(sequence): end(with: byte)
        case 0x20...0x3F:
            // Two bytes began it, and one ends it.
            if sequence.count < Self.longestSequence - 3 {
                sequence.append(byte)
            } else {
                state = .dropped
            }
        case 0x40...0x7E: end(with: byte)
        default: restart(with: byte)
        }
    }

    private mutating func end(with final: UInt8) {
        defer {
            isAlt = false
            isLate = false
        }
        if case .dropped = state {
            state = .ground
            return
        }
        state = .ground
        switch InputSequence.meaning(of: sequence, final) {
        case .input(.key(let key)): tell(key.code, key.modifiers)
        case .input(let input): tell(input)
        case .pasteBegins:
            paste = PastedText()
            state = .paste
        case .oldMouse: state = .oldMouse(3)
        case nil: break
        }
    }

    private mutating func takeInString(_ byte: UInt8) {
        if case .stringEscape = state {
            state = byte == UInt8(ascii: "\\") ? .ground : .escape
            if byte != UInt8(ascii: "\\") { take(byte) } else { endString() }
            return
        }
        switch byte {
        case 0x07:
            state = .ground
            endString()
        case 0x1B: state = .stringEscape
        case 0..<0x20: restart(with: byte)
        default: if sequence.count < Self.longestSequence { sequence.append(byte) }
        }
    }

    private mutating func endString() {
        isLate = false
        if let report = InputSequence.report(of: sequence) { tell(.report(report)) }
    }
}
