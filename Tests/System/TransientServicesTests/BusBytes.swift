/// The bytes of D-Bus messages, as far as the fake manager needs them: little-endian, of one string.
enum BusBytes {
    struct Call {
        let serial: UInt32
        let isHello: Bool
    }

    /// Removes the first message of `bytes`, if it is complete.
    static func takeCall(_ bytes: inout [UInt8]) -> Call? {
        guard bytes.count >= 16 else { return nil }
        let fields = aligned(16 + Int(number(bytes, at: 12)))
        let size = fields + Int(number(bytes, at: 4))
        guard bytes.count >= size else { return nil }
        let hello = Array("Hello".utf8)
        let isHello = (16..<fields).contains { bytes[$0...].starts(with: hello) }
        let call = Call(serial: number(bytes, at: 8), isHello: isHello)
        bytes.removeFirst(size)
        return call
    }

    /// An answer with a string; with the name of an error, an error.
    static func answer(to serial: UInt32, error: String?, text: String) -> [UInt8] {
        // Header fields are a code, a type and a value: 5 the call, 4 the error's name, 8 the types of the body.
        var fields: [UInt8] = [5, 1, UInt8(ascii: "u"), 0] + number(serial)
        if let error {
            fields += padding(fields.count) + [4, 1, UInt8(ascii: "s"), 0] + string(error)
        }
        fields += padding(fields.count) + [8, 1, UInt8(ascii: "g"), 0, 1, UInt8(ascii: "s"), 0]
        let body = string(text)
        let kind: UInt8 = error == nil ? 2 : 3
        var message = [UInt8(ascii: "l"), kind, 1, 1] + number(UInt32(body.count))
        message += number(serial) + number(UInt32(fields.count)) + fields
        return message + padding(message.count) + body
    }

    private static func aligned(_ count: Int) -> Int { (count + 7) / 8 * 8 }

    private static func padding(_ count: Int) -> [UInt8] {
        [UInt8](repeating: 0, count: aligned(count) - count)
    }

    private static func string(_ text: String) -> [UInt8] {
        number(UInt32(text.utf8.count)) + Array(text.utf8) + [0]
    }

    private static func number(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    private static func number(_ bytes: [UInt8], at start: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(bytes[start + $1]) << (8 * UInt32($1)) }
    }
}
