internal import PickerModel

/// Reads the stored bytes of readings for some attributes.
struct WantedAttributes {
    private let names: [(bytes: [UInt8], kind: Attribute.Kind)]

    init(_ attributes: [(name: String, kind: Attribute.Kind)]) {
        names = attributes.map { (Array($0.name.utf8), $0.kind) }
    }

    /// Calls `take` with the place of each wanted attribute that `CachedReading.stored` has written, and its value, unless
    /// it is of another kind.
    /// - Returns: false if the bytes are something else; `take` may have been called before.
    func read(_ bytes: Span<UInt8>, _ take: (Int, AttributeValue) -> Void) -> Bool {
        var place = 0
        var next = 0
        while place < bytes.count {
            let nameCount = Int(bytes[place])
            let start = place + 1
            place = start + nameCount
            guard place < bytes.count, let kind = Self.kind(of: bytes[place]) else { return false }
            place += 1
            let found = wanted(bytes, start..<start + nameCount, from: &next)
            if kind == .text {
                guard bytes.count - place >= 2 else { return false }
                let count = Int(bytes[place]) << 8 | Int(bytes[place + 1])
                place += 2
                guard bytes.count - place >= count,
                    let text = Self.text(bytes, place..<place + count)
                else { return false }
                place += count
                if let found, names[found].kind == .text { take(found, .text(text)) }
            } else {
                guard bytes.count - place >= 8 else { return false }
                var word: UInt64 = 0
                for index in place..<place + 8 { word = word << 8 | UInt64(bytes[index]) }
                place += 8
                guard let value = AttributeValue(word: word, kind) else { return false }
                if let found, names[found].kind == kind { take(found, value) }
            }
        }
        return true
    }

    /// The attribute of a name. Readings have the names in the same order mostly, so the one behind the last is tried first.
    private func wanted(_ bytes: Span<UInt8>, _ range: Range<Int>, from next: inout Int) -> Int? {
        for step in names.indices {
            let index = (next + step) % names.count
            let name = names[index].bytes
            guard name.count == range.count,
                name.indices.allSatisfy({ name[$0] == bytes[range.lowerBound + $0] })
            else { continue }
            next = index + 1
            return index
        }
        return nil
    }

    private static func text(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String? {
        var copy: [UInt8] = []
        copy.reserveCapacity(range.count)
        for index in range { copy.append(bytes[index]) }
        return String(validating: copy, as: UTF8.self)
    }

    private static let kinds: [Attribute.Kind] = [.boolean, .integer, .number, .time, .text]

    static func code(of kind: Attribute.Kind) -> UInt8 {
        UInt8(kinds.firstIndex(of: kind) ?? 0)
    }

    private static func kind(of code: UInt8) -> Attribute.Kind? {
        code < kinds.count ? kinds[Int(code)] : nil
    }
}
