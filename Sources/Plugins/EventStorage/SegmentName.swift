/// The names of segments: the number of the first event, so that names sort as numbers do.
enum SegmentName {
    private static let prefix = "events-"
    private static let suffix = ".log"
    private static let digits = 20
    /// Put behind the name of a file that is not what its name says.
    static let asideSuffix = ".bad"

    static func text(_ number: Int) -> String {
        let text = String(number)
        return prefix + String(repeating: "0", count: digits - text.count) + text + suffix
    }

    /// Whether a file of that name should be a segment.
    static func isOne(_ name: String) -> Bool {
        guard name.hasPrefix(prefix), name.hasSuffix(suffix),
            name.utf8.count == prefix.utf8.count + digits + suffix.utf8.count
        else { return false }
        return name.dropFirst(prefix.count).dropLast(suffix.count).utf8
            .allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    static func number(_ name: String) -> Int? {
        isOne(name) ? Int(name.dropFirst(prefix.count).dropLast(suffix.count)) : nil
    }

    static func isAside(_ name: String) -> Bool {
        name.hasSuffix(asideSuffix) && isOne(String(name.dropLast(asideSuffix.count)))
    }
}
