import MediaTypes
import Testing

@Suite struct ThumbnailTests {
    private static let signature: [UInt8] = [137, 80, 78, 71, 13, 10, 26, 10]
    private static let uri = "file:///home/a/b%20c.pdf"

    /// A chunk with the length that it claims; its checksum is never looked at.
    private static func chunk(_ kind: String, _ data: [UInt8], length: UInt32? = nil) -> [UInt8] {
        let length = length ?? UInt32(data.count)
        let digits = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> UInt32($0)) }
        return digits + Array(kind.utf8) + data + [1, 2, 3, 4]
    }

    private static func text(_ keyword: String, _ text: String) -> [UInt8] {
        chunk("tEXt", Array(keyword.utf8) + [0] + Array(text.utf8))
    }

    private static let header = chunk("IHDR", [UInt8](repeating: 0, count: 13))

    private static func read(_ chunks: [UInt8]...) -> ThumbnailFile? {
        thumbnail(signature + header + chunks.flatMap { $0 })
    }

    @Test("texts are read up to the image")
    func texts() throws {
        let file = try #require(
            Self.read(
                Self.text("Software", "x"), Self.text("Thumb::URI", Self.uri),
                Self.chunk("gAMA", [1, 2, 3, 4]), Self.text("Thumb::MTime", "1763690101.25"),
                Self.text("Thumb::Size", "4096"), Self.text("Thumb::Size", "1"),
                Self.chunk("IDAT", [])))
        #expect(file.uri == Self.uri)
        #expect(file.modified == 1_763_690_101)
        #expect(file.size == 4096)
        for end in ["IDAT", "IEND"] {
            let behind = try #require(
                Self.read(Self.chunk(end, []), Self.text("Thumb::MTime", "1")))
            #expect(behind.modified == nil)
        }
    }

    @Test("what is no PNG is nothing")
    func otherFiles() {
        let good = Self.signature + Self.header
        #expect(thumbnail(good) != nil)
        for place in 0..<16 {
            var bad = good
            bad[place] ^= 1
            #expect(thumbnail(bad) == nil)
        }
        #expect(thumbnail([]) == nil)
    }

    @Test("a file may be cut anywhere")
    func cuts() {
        let good =
            Self.signature + Self.header + Self.text("Thumb::URI", Self.uri)
            + Self.text("Thumb::MTime", "17") + Self.text("Thumb::Size", "5")
        var known = 0
        for count in 0...good.count {
            let file = thumbnail(Array(good[..<count]))
            #expect((file == nil) == (count < 16))
            let texts = [file?.uri != nil, file?.modified != nil, file?.size != nil].count { $0 }
            #expect(texts >= known)
            known = texts
        }
        #expect(known == 3)
    }

    @Test(
        "a length that reaches behind the bytes ends the reading",
        arguments: [5, 6, 1000, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0xFFFF_FFF8] as [UInt32])
    func lengths(length: UInt32) throws {
        // Four bytes of data and four of the checksum may pass for data.
        let file = try #require(
            Self.read(
                Self.text("Thumb::MTime", "1"),
                Self.chunk("tEXt", [65, 66, 67, 68], length: length)
            ))
        #expect(file.modified == 1)
        #expect(file.uri == nil)
        let behind = try #require(
            Self.read(
                Self.chunk("abcd", [0, 0, 0, 0], length: length), Self.text("Thumb::MTime", "1")))
        #expect(behind.modified == nil)
    }

    @Test("keywords have at most 79 bytes, and need a NUL")
    func keywords() throws {
        let file = try #require(
            Self.read(
                Self.chunk("tEXt", []), Self.chunk("tEXt", Array("Thumb::MTime".utf8)),
                Self.chunk("tEXt", [UInt8](repeating: 65, count: 500)), Self.text("", "x"),
                Self.text(String(repeating: "k", count: 79), "x"),
                Self.text("Thumb::URI\u{301}", "x"), Self.text("thumb::uri", "x"),
                Self.text("Thumb::MTime", "2")))
        #expect(file.modified == 2)
        #expect(file.uri == nil)
    }

    @Test(
        "times are digits, perhaps with a fraction",
        arguments: [
            ("0", 0), ("17", 17), ("17.0", 17), ("17.999999", 17), ("0017", 17), ("", nil),
            (".5", nil), ("17.", nil), ("17.x", nil), ("17.1.2", nil), ("-1", nil), ("+1", nil),
            (" 1", nil), ("1 ", nil), ("1\0", nil), ("9223372036854775807", .max),
            ("9223372036854775808", nil), ("99999999999999999999", nil),
        ] as [(String, Int64?)])
    func times(text: String, seconds: Int64?) {
        #expect(Self.read(Self.text("Thumb::MTime", text))?.modified == seconds)
    }

    @Test("sizes are digits up to the greatest number")
    func sizes() {
        #expect(
            Self.read(Self.text("Thumb::Size", "18446744073709551615"))?.size == UInt64.max)
        for text in ["18446744073709551616", "184467440737095516150", "1.5", "12B", "-1", ""] {
            let file = Self.read(Self.text("Thumb::Size", text))
            #expect(file != nil && file?.size == nil)
        }
    }

    @Test("URIs are Latin-1, as PNG says")
    func latin() {
        let data = Array("Thumb::URI".utf8) + [0, 0xE4, 0x41]
        #expect(Self.read(Self.chunk("tEXt", data))?.uri == "äA")
    }

    @Test("a thumbnail fits if all that it says is so, and it says when")
    func fits() throws {
        let time = Self.text("Thumb::MTime", "17.5")
        let place = Self.text("Thumb::URI", Self.uri)
        func fits(_ chunks: [UInt8]...) -> Bool {
            let bytes = Self.signature + Self.header + chunks.flatMap { $0 }
            return thumbnail(bytes)?.fits(uri: Self.uri, modified: 17, size: 5)
                ?? false
        }
        #expect(fits(time))
        #expect(fits(time, place))
        #expect(fits(time, place, Self.text("Thumb::Size", "5")))
        #expect(fits(time, place, Self.text("Thumb::Size", "5kB")))
        #expect(!fits(place))
        #expect(!fits())
        #expect(!fits(time, place, Self.text("Thumb::Size", "6")))
        #expect(!fits(time, Self.text("Thumb::URI", Self.uri + "x")))
        #expect(!fits(place, Self.text("Thumb::MTime", "18")))
        #expect(!fits(place, Self.text("Thumb::MTime", "16.999")))
        #expect(!fits(place, Self.text("Thumb::MTime", "x"), Self.text("Thumb::Size", "5")))
    }

    @Test("names are those of the standard")
    func names() {
        let digest = "c6ee772d9e49320e97ec29a7eb5b1697"
        #expect(
            ThumbnailPlace.names("file:///home/jens/photos/me.png") == [
                "x-large/\(digest).png", "large/\(digest).png", "normal/\(digest).png",
                "xx-large/\(digest).png",
            ])
    }
}
