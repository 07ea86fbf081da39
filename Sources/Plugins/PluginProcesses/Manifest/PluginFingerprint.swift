internal import SystemInterface

/// A hash of files by their names and statuses: FNV-1a of 64 bits. Owners of plugins are trusted, so that nobody looks
/// for two folders of one hash.
struct PluginFingerprint {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ name: [UInt8], _ status: FileStatus) {
        add(UInt64(name.count))
        for byte in name { mix(byte) }
        add(status.device)
        add(status.inode)
        add(status.size)
        add(UInt64(bitPattern: status.modified.seconds))
        add(UInt64(status.modified.nanoseconds))
        add(UInt64(status.owner) << 32 | UInt64(status.permissions))
    }

    private mutating func add(_ number: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            mix(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    private mutating func mix(_ byte: UInt8) {
        value = (value ^ UInt64(byte)) &* 0x100_0000_01B3
    }
}
