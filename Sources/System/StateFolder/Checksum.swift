internal import CZlib

/// The CRC-32 of zlib (ISO 3309) over a part of `bytes`. It detects every error of up to 32 consecutive bits,
/// so every single damaged byte, and all but one in four thousand million others.
///
/// - Complexity: O(bytes in range), about a nanosecond per byte.
package func checksum(of bytes: [UInt8], in range: Range<Int>) -> UInt32 {
    precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count)
    // The precondition keeps the pointer and the count within the array.
    let sum = unsafe bytes.withUnsafeBufferPointer {
        unsafe crc32_z(0, $0.baseAddress.map { unsafe $0 + range.lowerBound }, range.count)
    }
    return UInt32(truncatingIfNeeded: sum)
}
