/// A number in a small file of its own, with a checksum.
///
/// It is written in place and not synchronized: after a power failure it may be an older one, or missing; it is
/// never one that was not written.
package enum StoredNumber {
    private static let magic = Array("pknumber".utf8)
    private static let size = 20

    /// The number in `file`; nil if it is missing or damaged.
    package static func read(_ file: any StorageFile) -> Int64? {
        var bytes = [UInt8](repeating: 0, count: size + 1)
        guard let count = try? file.read(into: &bytes, at: 0), count == size,
            bytes.starts(with: magic),
            bytes.load(UInt32.self, at: size - 4) == checksum(of: bytes, in: 0..<(size - 4))
        else { return nil }
        return Int64(bitPattern: bytes.load(UInt64.self, at: magic.count))
    }

    package static func write(
        _ number: Int64, to file: any StorageFile
    ) throws(StorageError) {
        var bytes = magic
        bytes.append(littleEndian: UInt64(bitPattern: number))
        bytes.append(littleEndian: checksum(of: bytes, in: 0..<bytes.count))
        do { try file.write(bytes, at: 0) } catch { throw .system(error) }
    }
}
