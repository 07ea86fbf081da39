// A pattern for names, as steps.
//
// The patterns are those of fnmatch(3) without flags: `*`, `?`, `[…]`, `[!…]` and `\`. A leading dot is a
// character like any other. A `[` that is never closed stands for itself. `?` and `[!…]` take a whole character
// of UTF-8, or one byte where the name is none. Left out, as no list has them: brackets with characters beyond
// ASCII, and with `[=a=]` or `[.a.]`. (Classes such as `[:alpha:]` no list can have: a colon ends the glob.)

/// A pattern for names, as steps.
struct Glob {
    enum Step: Sendable, BitwiseCopyable {
        /// This byte: a small one, if case is ignored.
        case byte(UInt8)
        /// Any one character.
        case character
        /// A byte of the set with this index.
        case member(UInt8)
        /// A character that is not in the set with this index, which is one of ASCII.
        case other(UInt8)
        /// Any bytes, or none.
        case run
    }

    /// How names are looked up that match.
    enum Kind {
        /// It matches one name.
        case literal([UInt8])
        /// It matches each name with this end, which is not empty.
        case tail([UInt8])
        /// It must be tried.
        case odd
    }

    private(set) var steps: [Step] = []
    private(set) var sets: [ByteSet] = []

    /// Nil if the pattern is empty, or uses what is left out.
    init?(_ pattern: ArraySlice<UInt8>, isCaseSensitive: Bool) {
        guard !pattern.isEmpty else { return nil }
        var rest = pattern
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "*"):
                if case .run? = steps.last { continue }
                steps.append(.run)
            case UInt8(ascii: "?"):
                steps.append(.character)
            case UInt8(ascii: "["):
                switch Self.readBracket(&rest, isCaseSensitive: isCaseSensitive) {
                case .set(let set, let isNegated):
                    // A pattern of 255 bytes has fewer sets.
                    let index = UInt8(sets.count)
                    steps.append(isNegated ? .other(index) : .member(index))
                    sets.append(set)
                case .unclosed: steps.append(.byte(byte))
                case .unsupported: return nil
                }
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst() else { return nil }
                steps.append(.byte(isCaseSensitive ? escaped : escaped.folded))
            default:
                steps.append(.byte(isCaseSensitive ? byte : byte.folded))
            }
        }
    }

    private enum Bracket {
        case set(ByteSet, isNegated: Bool)
        case unclosed
        case unsupported
    }

    /// Takes what follows a `[`, if a `]` closes it.
    private static func readBracket(
        _ rest: inout ArraySlice<UInt8>, isCaseSensitive: Bool
    ) -> Bracket {
        var ahead = rest
        var isNegated = false
        if let first = ahead.first, first == UInt8(ascii: "!") || first == UInt8(ascii: "^") {
            isNegated = true
            ahead.removeFirst()
        }
        var set = ByteSet()
        var isFirst = true
        while var low = ahead.popFirst() {
            if low == UInt8(ascii: "]"), !isFirst {
                if !isCaseSensitive { set.insertOtherCases() }
                rest = ahead
                return .set(set, isNegated: isNegated)
            }
            isFirst = false
            if low == UInt8(ascii: "["), let next = ahead.first, ".=".utf8.contains(next) {
                return .unsupported
            }
            if low == UInt8(ascii: "\\") {
                guard let escaped = ahead.popFirst() else { return .unclosed }
                low = escaped
            }
            var high = low
            if ahead.first == UInt8(ascii: "-"), let end = ahead.dropFirst().first,
                end != UInt8(ascii: "]")
            {
                ahead.removeFirst(2)
                high = end
                if end == UInt8(ascii: "\\") {
                    guard let escaped = ahead.popFirst() else { return .unclosed }
                    high = escaped
                }
            }
            guard low < 0x80, high < 0x80 else { return .unsupported }
            if low <= high { for byte in low...high { set.insert(byte) } }
        }
        return .unclosed
    }

    var kind: Kind {
        var bytes: [UInt8] = []
        for (place, step) in steps.enumerated() {
            switch step {
            case .byte(let byte): bytes.append(byte)
            case .run where place == 0: continue
            default: return .odd
            }
        }
        if case .run? = steps.first { return bytes.isEmpty ? .odd : .tail(bytes) }
        return .literal(bytes)
    }

    /// Whether the steps take the whole name. Allocates nothing.
    /// - Complexity: O(n·m), for a name of n bytes and m steps; O(n + m) with at most one `*`.
    static func matches(
        _ steps: borrowing Span<Step>, _ sets: borrowing Span<ByteSet>, isCaseSensitive: Bool,
        _ name: borrowing Span<UInt8>
    ) -> Bool {
        // Most names are told by their end: that of the steps takes a byte each.
        var last = steps.count
        var end = name.count
        while last > 0, takesByte(steps[last - 1]) {
            guard end > 0,
                width(of: steps[last - 1], sets, isCaseSensitive: isCaseSensitive, name, end - 1)
                    != nil
            else { return false }
            last -= 1
            end -= 1
        }
        var at = 0
        var step = 0
        // The last run, and where it ends for now: it grows when what follows does not match.
        var afterRun: Int?
        var runEnd = 0
        while true {
            if step == steps.count {
                if at == name.count { return true }
            } else if case .run = steps[step] {
                step += 1
                if step == steps.count { return true }
                afterRun = step
                runEnd = at
                continue
            } else if at < name.count,
                let width = width(
                    of: steps[step], sets, isCaseSensitive: isCaseSensitive, name, at)
            {
                at += width
                step += 1
                continue
            }
            guard let afterRun, runEnd < name.count else { return false }
            runEnd += characterWidth(name, runEnd)
            at = runEnd
            step = afterRun
        }
    }

    private static func takesByte(_ step: Step) -> Bool {
        switch step {
        case .byte, .member: true
        case .character, .other, .run: false
        }
    }

    /// The number of bytes that the step takes from `at` on; nil if it does not match.
    private static func width(
        of step: Step, _ sets: borrowing Span<ByteSet>, isCaseSensitive: Bool,
        _ name: borrowing Span<UInt8>, _ at: Int
    ) -> Int? {
        let byte = name[at]
        return switch step {
        case .byte(let wanted): wanted == (isCaseSensitive ? byte : byte.folded) ? 1 : nil
        case .character: characterWidth(name, at)
        case .member(let set): sets[Int(set)].contains(byte) ? 1 : nil
        case .other(let set): sets[Int(set)].contains(byte) ? nil : characterWidth(name, at)
        case .run: 0
        }
    }

    /// The number of bytes of the character at `at`: 1 if it is none.
    private static func characterWidth(_ name: borrowing Span<UInt8>, _ at: Int) -> Int {
        let width =
            switch name[at] {
            case 0xC2...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF4: 4
            default: 1
            }
        guard at + width <= name.count else { return 1 }
        for place in at + 1..<at + width where !name[place].continuesCharacter { return 1 }
        return width
    }

    /// The first two bytes that stand behind a leading run, if both are bytes.
    var pairBehindRun: (UInt8, UInt8)? {
        guard steps.count > 2, case .run = steps[0], case .byte(let first) = steps[1],
            case .byte(let second) = steps[2]
        else { return nil }
        return (first, second)
    }

    /// Whether a name that matches may begin with the byte.
    func mayBegin(with byte: UInt8, isCaseSensitive: Bool) -> Bool {
        steps.first.map { mayTouch($0, byte, isCaseSensitive: isCaseSensitive) } ?? false
    }

    /// Whether a name that matches may end with the byte.
    func mayEnd(with byte: UInt8, isCaseSensitive: Bool) -> Bool {
        steps.last.map { mayTouch($0, byte, isCaseSensitive: isCaseSensitive) } ?? false
    }

    private func mayTouch(_ step: Step, _ byte: UInt8, isCaseSensitive: Bool) -> Bool {
        switch step {
        case .byte(let wanted): wanted == (isCaseSensitive ? byte : byte.folded)
        case .member(let set): sets[Int(set)].contains(byte)
        // A character beyond ASCII may begin and end with any byte that is not ASCII.
        case .other(let set): !sets[Int(set)].contains(byte)
        case .character, .run: true
        }
    }
}
