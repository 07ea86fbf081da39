/// The names of segment files. They contain the number of the first event, padded so that names sort by
/// number.
enum SegmentName {
    private static let prefix = "events-"
    private static let suffix = ".log"
    private static let digits = 20
    /// The suffix of a file that was set aside because it is not a valid segment.
    static let asideSuffix = ".bad"

    static func text(_ number: Int) -> String {
        let text = String(number)
        return prefix + String(repeating: "0", count: digits - text.count) + text + suffix
    }

    /// Whether `name` is the name of a segment.
    static func isSegment(_ name: String) -> Bool {
        guard name.hasPrefix(prefix), name.hasSuffix(suffix),
            name.utf8.count == prefix.utf8.count + digits + suffix.utf8.count
        else { return false }
        return name.dropFirst(prefix.count).dropLast(suffix.count).utf8
            .allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    static func number(_ name: String) -> Int? {
        isSegment(name) ? Int(name.dropFirst(prefix.count).dropLast(suffix.count)) : nil
    }

    static func isAside(_ name: String) -> Bool {
        name.hasSuffix(asideSuffix) && isSegment(String(name.dropLast(asideSuffix.count)))
    }
}
