// Addresses of D-Bus sockets.

import SystemInterface

/// Addresses as D-Bus writes them.
enum BusAddress {
    /// The address of the socket at `path`, whatever bytes the path has.
    static func socket(at path: RawPath) -> String {
        let hex = Array("0123456789abcdef")
        var address = "unix:path="
        for byte in path.bytes {
            if isPlain(byte) {
                address.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                address += "%\(hex[Int(byte >> 4)])\(hex[Int(byte & 0xF)])"
            }
        }
        return address
    }

    /// Whether D-Bus takes a byte as it is. A `,` would begin another value, a `;` another address.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: "/"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
