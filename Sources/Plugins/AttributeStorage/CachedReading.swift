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
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            let name = Array(name.utf8)
            guard name.count <= 255 else { continue }
            bytes.append(UInt8(name.count))
            bytes += name
            bytes.append(Self.code(of: value.kind))
            if case .text(let text) = value {
                let text = Array(text.utf8.prefix(Int(UInt16.max)))
                bytes.append(number: UInt64(text.count), 2)
                bytes += text
            } else {
                bytes.append(number: value.word ?? 0, 8)
            }
        }
        return bytes
    }

    /// Reads what `stored` has written; nil if it is something else.
    init?(stored bytes: [UInt8]) {
        var reader = ByteReader(bytes: bytes)
        var values: [String: AttributeValue] = [:]
        while !reader.isAtEnd {
            guard let length = reader.number(1), let name = reader.text(Int(length)),
                let code = reader.number(1), let kind = Self.kind(of: UInt8(code))
            else { return nil }
            if kind == .text {
                guard let length = reader.number(2), let text = reader.text(Int(length)) else {
                    return nil
                }
                values[name] = .text(text)
            } else {
                guard let word = reader.number(8),
                    let value = AttributeValue(word: word, kind)
                else { return nil }
                values[name] = value
            }
        }
        self = .values(values)
    }

    private static let kinds: [Attribute.Kind] = [.boolean, .integer, .number, .time, .text]

    private static func code(of kind: Attribute.Kind) -> UInt8 {
        UInt8(kinds.firstIndex(of: kind) ?? 0)
    }

    private static func kind(of code: UInt8) -> Attribute.Kind? {
        code < kinds.count ? kinds[Int(code)] : nil
    }
}

/// Reads numbers and texts from bytes, as far as there are any.
private struct ByteReader {
    let bytes: [UInt8]
    private var place = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { place == bytes.count }

    mutating func number(_ count: Int) -> UInt64? {
        guard bytes.count - place >= count else { return nil }
        var number: UInt64 = 0
        for _ in 0..<count {
            number = number << 8 | UInt64(bytes[place])
            place += 1
        }
        return number
    }

    mutating func text(_ count: Int) -> String? {
        guard bytes.count - place >= count else { return nil }
        defer { place += count }
        return String(validating: bytes[place..<place + count], as: UTF8.self)
    }
}

extension [UInt8] {
    fileprivate mutating func append(number: UInt64, _ count: Int) {
        for index in 0..<count {
            append(UInt8(truncatingIfNeeded: number >> UInt64(8 * (count - 1 - index))))
        }
    }
}
