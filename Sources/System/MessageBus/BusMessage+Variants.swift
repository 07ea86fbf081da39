// Values whose types the caller chooses, and arrays of bytes.

import CSystemd
import Glibc

extension BusMessage {
    /// The types of the value in the variant that is next; nil if none is.
    package func peekVariant() -> String? {
        var kind: CChar = 0
        var contents: UnsafePointer<CChar>?
        // sd-bus writes into both local variables; the types belong to the message, and are copied.
        guard unsafe sd_bus_message_peek_type(message, &kind, &contents) > 0,
            kind == CChar(UInt8(ascii: "v")), let types = unsafe contents
        else { return nil }
        return unsafe String(cString: types)
    }

    /// Reads a `u`; nil if none is next.
    package func readUnsigned() -> UInt32? {
        var number: UInt32 = 0
        // sd-bus checks that the type is next, and writes a number of it.
        let result = unsafe sd_bus_message_read_basic(
            message, CChar(UInt8(ascii: "u")), &number)
        return result > 0 ? number : nil
    }

    /// Reads a `b`; nil if none is next.
    package func readFlag() -> Bool? {
        var number: Int32 = 0
        // sd-bus checks that the type is next, and writes an int for it.
        let result = unsafe sd_bus_message_read_basic(
            message, CChar(UInt8(ascii: "b")), &number)
        return result > 0 ? number != 0 : nil
    }

    /// Reads an `ay`; nil if none is next.
    package func readBytes() -> [UInt8]? {
        var bytes: UnsafeRawPointer?
        var count = 0
        // sd-bus writes the address and the size of bytes in the message, which are copied.
        let result = unsafe sd_bus_message_read_array(
            message, CChar(UInt8(ascii: "y")), &bytes, &count)
        guard result > 0 else { return nil }
        guard let start = unsafe bytes, count > 0 else { return [] }
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }
}
