// A set of bytes, in 32 bytes of memory.

struct ByteSet: Hashable, Sendable {
    private var low: UInt64 = 0
    private var lowMiddle: UInt64 = 0
    private var highMiddle: UInt64 = 0
    private var high: UInt64 = 0

    init() {}

    init(_ isMember: (UInt8) -> Bool) {
        for byte in UInt8.min...UInt8.max where isMember(byte) { insert(byte) }
    }

    var isEmpty: Bool { low | lowMiddle | highMiddle | high == 0 }

    /// The only member; nil if there is none or more than one.
    var onlyMember: UInt8? {
        let count =
            low.nonzeroBitCount + lowMiddle.nonzeroBitCount + highMiddle.nonzeroBitCount
            + high.nonzeroBitCount
        return count == 1 ? (UInt8.min...UInt8.max).first(where: contains) : nil
    }

    func contains(_ byte: UInt8) -> Bool {
        let word =
            switch byte >> 6 {
            case 0: low
            case 1: lowMiddle
            case 2: highMiddle
            default: high
            }
        return word >> UInt64(byte & 63) & 1 == 1
    }

    mutating func insert(_ byte: UInt8) {
        let bit: UInt64 = 1 << UInt64(byte & 63)
        switch byte >> 6 {
        case 0: low |= bit
        case 1: lowMiddle |= bit
        case 2: highMiddle |= bit
        default: high |= bit
        }
    }

    mutating func remove(_ byte: UInt8) {
        guard contains(byte) else { return }
        let bit: UInt64 = 1 << UInt64(byte & 63)
        switch byte >> 6 {
        case 0: low ^= bit
        case 1: lowMiddle ^= bit
        case 2: highMiddle ^= bit
        default: high ^= bit
        }
    }

    mutating func formUnion(_ other: ByteSet) {
        low |= other.low
        lowMiddle |= other.lowMiddle
        highMiddle |= other.highMiddle
        high |= other.high
    }

    mutating func invert() {
        low = ~low
        lowMiddle = ~lowMiddle
        highMiddle = ~highMiddle
        high = ~high
    }
}
