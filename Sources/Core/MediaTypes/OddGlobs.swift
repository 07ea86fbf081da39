// The few globs that must be tried, best first.
//
// Which of them a name may match at all is told by its first and its last byte, and by the first two bytes that a
// glob such as `*.so.[0-9]*` has behind its star. So most names try none.

/// The globs that must be tried.
struct OddGlobs: Sendable {
    private struct Odd {
        let steps: Range<Int>
        let sets: Range<Int>
        let isCaseSensitive: Bool
        let type: UInt16
    }

    /// As many as a word has bits.
    static let limit = 64
    /// The most steps of one, so that a name costs little against any.
    static let longest = 64

    private var odds: [Odd] = []
    private var steps: [Glob.Step] = []
    private var sets: [ByteSet] = []
    /// By byte: a bit for each that names with this byte first, or last, may match.
    private var byFirst = [UInt64](repeating: 0, count: 256)
    private var byLast = [UInt64](repeating: 0, count: 256)
    /// By byte: a bit for each that has this byte, folded, as the second behind its leading run.
    private var bySecond = [UInt64](repeating: 0, count: 256)
    /// A bit for each that asks for no two bytes behind a leading run.
    private var unpaired: UInt64 = 0
    /// By byte: whether it is, once folded, the first of a pair that stands behind a leading run.
    private var startsPair = [Bool](repeating: false, count: 256)

    init() {}

    /// Adds a glob that is worse than all before.
    /// - Returns: false, without effect, if it has no place.
    mutating func insert(_ glob: Glob, isCaseSensitive: Bool, type: UInt16) -> Bool {
        guard odds.count < Self.limit, glob.steps.count <= Self.longest else { return false }
        let bit: UInt64 = 1 << UInt64(odds.count)
        for byte in UInt8.min...UInt8.max {
            if glob.mayBegin(with: byte, isCaseSensitive: isCaseSensitive) {
                byFirst[Int(byte)] |= bit
            }
            if glob.mayEnd(with: byte, isCaseSensitive: isCaseSensitive) {
                byLast[Int(byte)] |= bit
            }
        }
        if let (first, second) = glob.pairBehindRun {
            for byte in UInt8.min...UInt8.max where byte.folded == first.folded {
                startsPair[Int(byte)] = true
            }
            bySecond[Int(second.folded)] |= bit
        } else {
            unpaired |= bit
        }
        odds.append(
            Odd(
                steps: steps.count..<steps.count + glob.steps.count,
                sets: sets.count..<sets.count + glob.sets.count,
                isCaseSensitive: isCaseSensitive,
                type: type))
        steps += glob.steps
        sets += glob.sets
        return true
    }

    /// The type of the best match. Allocates nothing.
    func type(of name: borrowing Span<UInt8>) -> UInt16? {
        guard name.count > 0 else { return nil }
        var candidates = byFirst[Int(name[0])] & byLast[Int(name[name.count - 1])]
        if candidates & ~unpaired != 0 { candidates &= unpaired | paired(in: name) }
        while candidates != 0 {
            let odd = odds[candidates.trailingZeroBitCount]
            if Glob.matches(
                steps.span.extracting(odd.steps), sets.span.extracting(odd.sets),
                isCaseSensitive: odd.isCaseSensitive, name)
            {
                return odd.type
            }
            candidates &= candidates - 1
        }
        return nil
    }

    /// A bit for each that finds the second byte of its pair in the name, behind the first of some pair.
    private func paired(in name: borrowing Span<UInt8>) -> UInt64 {
        var paired: UInt64 = 0
        for place in 1..<name.count where startsPair[Int(name[place - 1])] {
            paired |= bySecond[Int(name[place].folded)]
        }
        return paired
    }
}
