/// A dictionary in 256 parts, so that none of its steps is long: when a part grows, only its own keys are moved.
///
/// Parts of equal size would all grow at about the same time. So the last part gets nearly twice as many keys as the first
/// one, and the others as many as lie between them: then the times are spread evenly, at whatever size.
struct ShardedDictionary<Key: Hashable, Value> {
    private var parts = [[Key: Value]](repeating: [:], count: ShardChoice.count)
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    subscript(key: Key) -> Value? {
        get { parts[ShardChoice.part(ofHash: key.hashValue)][key] }
        set {
            let part = ShardChoice.part(ofHash: key.hashValue)
            let former =
                newValue.map { parts[part].updateValue($0, forKey: key) }
                ?? parts[part].removeValue(forKey: key)
            if former != nil { count -= 1 }
            if newValue != nil { count += 1 }
        }
    }

    /// Removes the keys of one part.
    /// - Returns: whether none are left.
    mutating func removePart() -> Bool {
        if let part = parts.lastIndex(where: { !$0.isEmpty }) {
            count -= parts[part].count
            parts[part] = [:]
        }
        return isEmpty
    }
}

/// Which part has the keys of a hash.
private enum ShardChoice {
    static let count = 256
    private static let bits = 12

    /// By the first bits of the hash: part *i* has the numbers *x* of 0 to 1 from 2^(*i*/256) − 1 on.
    private static let parts: [UInt8] = {
        let ratio = 1.002_711_275_050_202_5
        var parts: [UInt8] = []
        var (part, end) = (0, ratio)
        let size = 1 << bits
        for place in 0..<size {
            let number = (Double(place) + 0.5) / Double(size)
            while part < count - 1, 1 + number >= end {
                part += 1
                end *= ratio
            }
            parts.append(UInt8(part))
        }
        return parts
    }()

    static func part(ofHash hash: Int) -> Int {
        Int(parts[Int(truncatingIfNeeded: UInt(bitPattern: hash) >> UInt(UInt.bitWidth - bits))])
    }
}
