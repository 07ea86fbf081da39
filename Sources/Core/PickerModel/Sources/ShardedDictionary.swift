/// A dictionary in 256 parts, so that none of its steps is long: when a part grows, a 256th of all is moved.
struct ShardedDictionary<Key: Hashable, Value> {
    private static var count: Int { 256 }

    private var parts = [[Key: Value]](repeating: [:], count: Self.count)
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    private func place(of key: Key) -> Int {
        // The parts themselves use other bits of the same hash, with seeds of their own.
        Int(truncatingIfNeeded: UInt64(bitPattern: Int64(key.hashValue)) >> 56)
    }

    subscript(key: Key) -> Value? {
        get { parts[place(of: key)][key] }
        set {
            let place = place(of: key)
            let former =
                newValue.map { parts[place].updateValue($0, forKey: key) }
                ?? parts[place].removeValue(forKey: key)
            if former != nil { count -= 1 }
            if newValue != nil { count += 1 }
        }
    }
}
