// The lines of the files of shared-mime-info, within limits.

/// What was left out of the files read, by reason. Each counts lines.
package struct LeftOut: Hashable, Sendable {
    /// Not of the format, such as a weight above 100, a NUL, or bytes that are not UTF-8.
    package internal(set) var malformed = 0
    /// Longer than 1,024 bytes.
    package internal(set) var tooLong = 0
    /// Behind the first 4 MiB of a file, or more than the table holds.
    package internal(set) var beyondLimit = 0

    init() {}

    package var total: Int { malformed + tooLong + beyondLimit }
}

/// Reads lines that are neither empty nor comments.
enum LineFile {
    static let longestFile = 4 << 20
    static let longestLine = 1024

    /// Calls `body` for each line without its newline, and counts it as malformed if that returns false.
    static func read(
        _ file: [UInt8], _ leftOut: inout LeftOut,
        _ body: (ArraySlice<UInt8>, inout LeftOut) -> Bool
    ) {
        var rest = file[...]
        var beyond: ArraySlice<UInt8> = []
        let newline = UInt8(ascii: "\n")
        if file.count > longestFile {
            // The line that the limit cuts is left out too.
            let end = file[..<longestFile].lastIndex(of: newline).map { $0 + 1 } ?? 0
            rest = file[..<end]
            beyond = file[end...]
        }
        leftOut.beyondLimit += beyond.count { $0 == newline }
        if let last = beyond.last, last != newline { leftOut.beyondLimit += 1 }
        while !rest.isEmpty {
            let line = rest.prefix { $0 != newline }
            rest = rest[min(line.endIndex + 1, rest.endIndex)...]
            if line.isEmpty || line.first == UInt8(ascii: "#") { continue }
            if line.count > longestLine {
                leftOut.tooLong += 1
            } else if line.contains(0) || String(validating: line, as: UTF8.self) == nil {
                leftOut.malformed += 1
            } else if !body(line, &leftOut) {
                leftOut.malformed += 1
            }
        }
    }

    /// The text of a media type: visible ASCII with one slash that is neither first nor last, up to 255 bytes.
    static func type(_ bytes: ArraySlice<UInt8>) -> String? {
        guard bytes.count <= 255, bytes.allSatisfy({ 0x21...0x7E ~= $0 }) else { return nil }
        let sides = bytes.split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard sides.count == 2, sides.allSatisfy({ !$0.isEmpty }) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
