// The URIs of files, from paths and back.
//
// Thumbnails are named by the digest of the URI, so the text must be the same byte by byte as what other programs
// write. It is that of GLib 2.74's g_filename_to_uri, by test: letters, digits and `!$&'()*+,-./:=@_~` stand for
// themselves, every other byte is `%` and two digits with capitals. (`;` is escaped too.)

/// Why a URI names no file here.
package struct FileURIError: Error, Hashable, CustomStringConvertible {
    package let description: String

    /// Longer than any URI of a path that the system takes.
    package static let tooLong = Self(description: "it is longer than that of any file")
    /// Not of the scheme `file`.
    package static let otherScheme = Self(description: "it is not one of a file")
    /// Of another host than this one.
    package static let otherHost = Self(description: "it is one of another host")
    /// Without a path that begins with `/`.
    package static let noPath = Self(description: "it has no absolute path")
    /// A `%` without two digits of base 16 behind it.
    package static let badEscape = Self(description: "a '%' has no two digits behind it")
    /// A slash or a NUL behind a `%`, a NUL as such, or the `#` of a fragment.
    package static let badByte = Self(description: "it has a byte that no path has")
}

/// The URIs of files.
package enum FileURI {
    /// The most bytes of a path that comes from a URI: what the system takes, without its closing NUL.
    package static let longestPath = 4095

    private static let plain: ByteSet = {
        var set = ByteSet()
        for byte in "!$&'()*+,-./0123456789:=@_~".utf8 { set.insert(byte) }
        for byte in UInt8(ascii: "a")...UInt8(ascii: "z") { set.insert(byte) }
        set.insertOtherCases()
        return set
    }()

    /// What stands before the path.
    package static let start = "file://"

    /// The URI of a file with this path; nil if it is not absolute or has a NUL. The path is taken as it is: `//`
    /// and `..` stay.
    /// - Complexity: O(n).
    package static func text(ofPath path: borrowing Span<UInt8>) -> String? {
        guard path.count > 0, path[0] == UInt8(ascii: "/") else { return nil }
        var text = Array(start.utf8)
        text.reserveCapacity(text.count + path.count + path.count / 2)
        for place in path.indices where path[place] == 0 { return nil }
        append(path, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends a part of a path, which has no NUL, as it stands in a URI. All that is appended is ASCII.
    /// - Complexity: O(n).
    package static func append(_ part: borrowing Span<UInt8>, to uri: inout [UInt8]) {
        let plain = plain
        for place in part.indices {
            let byte = part[place]
            if plain.contains(byte) {
                uri.append(byte)
            } else {
                uri.append(UInt8(ascii: "%"))
                uri.append(digit(byte >> 4))
                uri.append(digit(byte & 15))
            }
        }
    }

    /// A digit of base 16, a capital beyond 9.
    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    /// The path that a URI names: `file:///…`, `file://localhost/…` or `file:/…`. As with GLib, scheme and host
    /// may have any case, and bytes that ought to be escaped stand for themselves, `?` among them.
    package static func path(of uri: borrowing Span<UInt8>) throws(FileURIError) -> [UInt8] {
        guard uri.count <= (start + "localhost").utf8.count + 3 * longestPath else {
            throw .tooLong
        }
        var place = 0
        guard skip("file:", in: uri, &place) else { throw .otherScheme }
        if skip("//", in: uri, &place) {
            _ = skip("localhost", in: uri, &place)
            guard place < uri.count else { throw .noPath }
            guard uri[place] == UInt8(ascii: "/") else { throw .otherHost }
        }
        guard place < uri.count, uri[place] == UInt8(ascii: "/") else { throw .noPath }
        var path: [UInt8] = []
        while place < uri.count {
            let byte = uri[place]
            place += 1
            switch byte {
            case UInt8(ascii: "%"):
                guard place + 1 < uri.count, let high = value(uri[place]),
                    let low = value(uri[place + 1])
                else { throw .badEscape }
                let byte = high << 4 | low
                if byte == 0 || byte == UInt8(ascii: "/") { throw .badByte }
                path.append(byte)
                place += 2
            case 0, UInt8(ascii: "#"): throw .badByte
            default: path.append(byte)
            }
        }
        guard path.count <= longestPath else { throw .tooLong }
        return path
    }

    /// Steps over a text of small letters, if it is there in any case.
    private static func skip(
        _ text: String, in uri: borrowing Span<UInt8>, _ place: inout Int
    ) -> Bool {
        let bytes = Array(text.utf8)
        guard uri.count - place >= bytes.count else { return false }
        for (offset, byte) in bytes.enumerated() where uri[place + offset].folded != byte {
            return false
        }
        place += bytes.count
        return true
    }

    private static func value(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
