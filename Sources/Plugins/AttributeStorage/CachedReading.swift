package import PickerModel

/// A file as it was when it was read: whatever its name, and wherever it is below its root.
package struct FileVersion: Hashable, Sendable {
    /// The bytes of the path of the root.
    package let root: [UInt8]
    package let inode: UInt64
    package let size: UInt64
    package let modified: FileTime

    package init(root: [UInt8], inode: UInt64, size: UInt64, modified: FileTime) {
        self.root = root
        self.inode = inode
        self.size = size
        self.modified = modified
    }
}

/// What reading a file has found.
package enum CachedReading: Hashable, Sendable {
    /// By name; without one it has none.
    case values([String: AttributeValue])
    /// It can't be read, and is not to be tried again.
    case failed
}

/// Which reader of which version has read: another version may find something else.
package struct Extractor: Hashable, Sendable {
    package let plugin: String
    package let version: String
    package let group: String

    package init(plugin: String, version: String, group: String) {
        self.plugin = plugin
        self.version = version
        self.group = group
    }
}

extension CachedReading {
    /// The bytes that are stored: for each value the length of its name, the name, its kind, and itself.
    var stored: [UInt8]? {
        guard case .values(let values) = self else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32 * values.count)
        for (name, value) in values {
            let count = name.utf8.count
            guard count <= 255 else { continue }
            bytes.append(UInt8(count))
            bytes.append(contentsOf: name.utf8)
            bytes.append(WantedAttributes.code(of: value.kind))
            if case .text(let text) = value {
                let text = text.utf8.prefix(Int(UInt16.max))
                bytes.append(number: UInt64(text.count), 2)
                bytes.append(contentsOf: text)
            } else {
                bytes.append(number: value.word ?? 0, 8)
            }
        }
        return bytes
    }
}

extension [UInt8] {
    fileprivate mutating func append(number: UInt64, _ count: Int) {
        for index in 0..<count {
            append(UInt8(truncatingIfNeeded: number >> UInt64(8 * (count - 1 - index))))
        }
    }
}
