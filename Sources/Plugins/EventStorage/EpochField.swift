internal import StateFolder

/// The name of an epoch in a field of fixed size.
enum EpochField {
    static let mostBytes = 40
    static let size = 4 + mostBytes

    /// Whether `text` is a valid name of an epoch: 1 to 40 digits and lowercase letters.
    static func accepts(_ text: some Collection<UInt8>) -> Bool {
        (1...mostBytes).contains(text.count)
            && text.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
            }
    }

    static func append(_ epoch: String, to bytes: inout [UInt8]) {
        let text = epoch.utf8.prefix(mostBytes)
        bytes.append(littleEndian: UInt32(text.count))
        bytes.append(contentsOf: text)
        bytes.append(contentsOf: repeatElement(0, count: mostBytes - text.count))
    }

    static func read(_ bytes: [UInt8], at offset: Int) -> String? {
        let count = Int(bytes.load(UInt32.self, at: offset))
        guard count <= mostBytes else { return nil }
        let text = bytes[(offset + 4)..<(offset + 4 + count)]
        return accepts(text) ? String(decoding: text, as: UTF8.self) : nil
    }
}
