import MediaTypes
import Testing

@Suite struct FileURITests {
    @Test("each byte of a path is plain or escaped, as GLib has it")
    func bytes() {
        let plain = Set(
            "!$&'()*+,-./0123456789:=@ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~".utf8)
        #expect(plain.count == 79)
        for byte in UInt8(1)...255 {
            let path = [0x2F, byte]
            let digits = String(byte, radix: 16, uppercase: true)
            let escaped = "%" + (digits.count == 1 ? "0" : "") + digits
            let text = plain.contains(byte) ? String(Unicode.Scalar(byte)) : escaped
            #expect(uri(ofPath: path) == "file:///" + text)
        }
    }

    @Test("a path that is not absolute, or has a NUL, has no URI")
    func refusedPaths() {
        for path in ["", "a", "a/b", "/a\0b", "/\0"] {
            #expect(uri(ofPath: Array(path.utf8)) == nil)
        }
        #expect(uri(ofPath: Array("/".utf8)) == "file:///")
        #expect(uri(ofPath: Array("//a/../b/".utf8)) == "file:////a/../b/")
    }

    @Test("a path comes back from its URI")
    func back() throws {
        let bytes = [0x2F] + (UInt8(1)...255)
        let text = try #require(uri(ofPath: bytes))
        #expect(try path(ofURI: text) == bytes)
    }

    @Test(
        "URIs of files of this host name paths",
        arguments: [
            ("file:///a%20b", "/a b"), ("file://localhost/a", "/a"), ("FILE://LocalHost/a", "/a"),
            ("file:/a", "/a"), ("file:////a", "//a"), ("file:///", "/"), ("file:///%C3%a4", "/ä"),
            ("file:///a?b", "/a?b"), ("file:///a b", "/a b"), ("file:///ä;", "/ä;"),
            ("file:///%25", "/%"), ("file:///a/%2e%2E", "/a/.."),
        ])
    func paths(uri: String, expected: String) throws {
        #expect(try path(ofURI: uri) == Array(expected.utf8))
    }

    @Test(
        "others are refused with a reason",
        arguments: [
            ("", FileURIError.otherScheme), ("/a", .otherScheme), ("http:///a", .otherScheme),
            ("files:///a", .otherScheme), ("file", .otherScheme), ("file:", .noPath),
            ("file:a", .noPath), ("file:/", nil), ("file://", .noPath), ("file://a", .otherHost),
            ("file://localhost", .noPath), ("file://localhosts/a", .otherHost),
            ("file://other/a", .otherHost), ("file://localhost:80/a", .otherHost),
            ("file:///%", .badEscape), ("file:///%2", .badEscape), ("file:///%zz", .badEscape),
            ("file:///%2g", .badEscape), ("file:///%2f", .badByte), ("file:///%00", .badByte),
            ("file:///\0", .badByte), ("file:///a#b", .badByte), ("file:///%23", nil),
        ] as [(String, FileURIError?)])
    func refused(uri: String, error: FileURIError?) {
        if let error {
            #expect(throws: error) { try path(ofURI: uri) }
        } else {
            #expect(throws: Never.self) { try path(ofURI: uri) }
        }
    }

    @Test("paths are as long as the system takes")
    func lengths() throws {
        func long(_ count: Int, _ byte: String) -> String {
            "file://localhost/" + String(repeating: byte, count: count - 1)
        }
        for byte in ["a", "%20"] {
            let longest = long(FileURI.longestPath, byte)
            #expect(try path(ofURI: longest).count == FileURI.longestPath)
            let longer = long(FileURI.longestPath + 1, byte)
            #expect(throws: FileURIError.tooLong) { try path(ofURI: longer) }
        }
    }
}
