// What a thumbnail says of the file that it shows: the texts of its PNG, as the Thumbnail Managing Standard 0.9
// names them.
//
// Reads the chunks up to the image, as far as the bytes given go, and no byte twice. Nothing is trusted: a length
// that reaches behind the bytes ends the reading, and what was read before it counts. The checksums of the chunks
// are not verified, and only plain text is read (`tEXt`): a writer that compresses long texts (`zTXt`) gives no URI.

/// What a thumbnail says of the file that it shows.
package struct ThumbnailFile: Hashable, Sendable {
    /// `Thumb::URI`: the URI of the file.
    package private(set) var uri: String?
    /// `Thumb::MTime`: when the file was modified, in whole seconds since 1970. A fraction is dropped.
    package private(set) var modified: Int64?
    /// `Thumb::Size`: the size of the file in bytes.
    package private(set) var size: UInt64?

    private static let signature: [UInt8] = [137, 80, 78, 71, 13, 10, 26, 10]
    /// The most bytes of a keyword of PNG.
    private static let longestKeyword = 79

    /// Reads the first bytes of a file; nil if they are not the start of a PNG.
    /// - Complexity: O(n).
    package init?(start bytes: borrowing Span<UInt8>) {
        guard bytes.count >= 16 else { return nil }
        for (place, byte) in Self.signature.enumerated() where bytes[place] != byte { return nil }
        guard Self.kind(bytes, 8) == "IHDR", Self.length(bytes, 8) == 13 else { return nil }
        var chunk = 8
        while chunk + 8 <= bytes.count {
            let length = Self.length(bytes, chunk)
            let kind = Self.kind(bytes, chunk)
            // The text and its checksum. At most 2³² + the count, so this does not overflow.
            let end = chunk + 8 + length
            if kind == "IDAT" || kind == "IEND" || end > bytes.count { return }
            if kind == "tEXt" { read(bytes, chunk + 8..<end) }
            chunk = end + 4
        }
    }

    /// Whether the thumbnail shows a file as it is now: its URI and its size equal the file's where the thumbnail
    /// has them, and it has the time when the file was modified, in whole seconds since 1970.
    package func fits(uri: String, modified seconds: Int64, size: UInt64) -> Bool {
        if let stored = self.uri, stored != uri { return false }
        if let stored = self.size, stored != size { return false }
        return modified == seconds
    }

    /// Reads a keyword, a NUL, and a text. The first of several of a keyword counts, even if it is no good.
    private mutating func read(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) {
        var keyword: [UInt8] = []
        var place = range.lowerBound
        while place < range.upperBound, bytes[place] != 0 {
            guard keyword.count < Self.longestKeyword else { return }
            keyword.append(bytes[place])
            place += 1
        }
        guard place < range.upperBound else { return }
        let text = place + 1..<range.upperBound
        switch String(decoding: keyword, as: UTF8.self) {
        case "Thumb::URI" where uri == nil: uri = Self.latin(bytes, text)
        case "Thumb::MTime" where modified == nil: modified = Self.seconds(bytes, text)
        case "Thumb::Size" where size == nil: size = Self.number(bytes, text)
        default: break
        }
    }

    private static func length(_ bytes: borrowing Span<UInt8>, _ chunk: Int) -> Int {
        (0..<4).reduce(0) { $0 << 8 | Int(bytes[chunk + $1]) }
    }

    private static func kind(_ bytes: borrowing Span<UInt8>, _ chunk: Int) -> String {
        String(decoding: (4..<8).map { bytes[chunk + $0] }, as: UTF8.self)
    }

    private static func latin(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> String {
        var text = String.UnicodeScalarView()
        for place in range { text.append(Unicode.Scalar(bytes[place])) }
        return String(text)
    }

    /// Digits, and perhaps a dot and more digits.
    private static func seconds(
        _ bytes: borrowing Span<UInt8>, _ range: Range<Int>
    ) -> Int64? {
        var end = range.lowerBound
        while end < range.upperBound, bytes[end] != UInt8(ascii: ".") { end += 1 }
        if end < range.upperBound {
            guard end + 1 < range.upperBound else { return nil }
            for place in end + 1..<range.upperBound where !(0x30...0x39 ~= bytes[place]) {
                return nil
            }
        }
        return number(bytes, range.lowerBound..<end).flatMap(Int64.init(exactly:))
    }

    private static func number(
        _ bytes: borrowing Span<UInt8>, _ range: Range<Int>
    ) -> UInt64? {
        guard !range.isEmpty else { return nil }
        var value: UInt64 = 0
        for place in range {
            guard 0x30...0x39 ~= bytes[place] else { return nil }
            let (tens, isTooGreat) = value.multipliedReportingOverflow(by: 10)
            let (sum, isAlsoTooGreat) = tens.addingReportingOverflow(UInt64(bytes[place] - 0x30))
            if isTooGreat || isAlsoTooGreat { return nil }
            value = sum
        }
        return value
    }
}
