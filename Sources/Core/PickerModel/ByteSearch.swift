extension Span<UInt8> {
    /// Where `needle`, which is not empty, begins for the first time at `start` or behind; nil if nowhere.
    /// - Complexity: O(n) for usual texts, O(n × needle) at worst.
    func firstPlace(of needle: Span<UInt8>, from start: Int = 0) -> Int? {
        let last = needle.count - 1
        guard count - start > last else { return nil }
        let first = needle[0]
        let final = needle[last]
        for place in start..<count - last
        where self[place] == first && self[place + last] == final {
            var index = 1
            while index < last, self[place + index] == needle[index] { index += 1 }
            if index >= last { return place }
        }
        return nil
    }

    /// The number of scalars that begin before `end`, if this is UTF-8.
    func scalarCount(before end: Int) -> Int {
        var result = 0
        for index in 0..<end where self[index] & 0xC0 != 0x80 { result += 1 }
        return result
    }
}
