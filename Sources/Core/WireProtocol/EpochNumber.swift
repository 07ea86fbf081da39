/// A number within an epoch, on the wire as `epoch:number`.
package struct EpochNumber: Hashable, Sendable {
    package let epoch: String
    package let number: Int

    /// Nil unless the text has an epoch and, after the last colon, a number without a sign.
    package init?(_ text: String) {
        let bytes = text.utf8
        guard let colon = bytes.lastIndex(of: UInt8(ascii: ":")), colon != bytes.startIndex else {
            return nil
        }
        let digits = bytes[bytes.index(after: colon)...]
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(Substring(digits))
        else { return nil }
        epoch = String(text[..<colon])
        self.number = number
    }
}
