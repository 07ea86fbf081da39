// The media type of a file, by its name alone: from a built-in list, without the system's. The same name has
// the same type on every machine.

/// The media type of a file, by its name's suffix. Types compare by text.
package struct MediaType: Hashable, Sendable {
    /// The index in the table, which is sorted by text.
    private let index: UInt16

    /// The type of a file without a known suffix.
    package static let unknown = MediaType(index: table.unknown)

    /// The type of a file with this name; `application/octet-stream` if its suffix is unknown. Case is ignored.
    /// The longest suffix wins: `a.tar.gz` is a compressed archive. A name like `.md` has no suffix.
    /// - Complexity: O(n).
    package init(forName name: String) {
        let dot = UInt8(ascii: ".")
        let bytes = name.utf8
        guard let last = bytes.lastIndex(of: dot), last > bytes.startIndex else {
            self = .unknown
            return
        }
        if let first = bytes[..<last].lastIndex(of: dot), first > bytes.startIndex,
            let found = MediaType.table.index(ofSuffix: bytes[bytes.index(after: first)...])
        {
            index = found
            return
        }
        let suffix = bytes[bytes.index(after: last)...]
        index = MediaType.table.index(ofSuffix: suffix) ?? MediaType.table.unknown
    }

    private init(index: UInt16) {
        self.index = index
    }

    /// The text, such as `text/markdown`.
    package var text: String { MediaType.table.texts[Int(index)] }

    /// Its rank among all types.
    var rank: Int { Int(index) }

    private static let table = Table(list: list)
}

extension MediaType: Comparable {
    package static func < (left: MediaType, right: MediaType) -> Bool {
        left.index < right.index
    }
}

/// The list, indexed for lookups.
private struct Table {
    let texts: [String]
    let unknown: UInt16
    private let indexes: [String: UInt16]
    private let longestSuffix: Int

    init(list: String) {
        let rows = list.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
            .sorted { $0[0].compareBytes($1[0]) < 0 }
        var indexes: [String: UInt16] = [:]
        for (index, row) in rows.enumerated() {
            for suffix in row.dropFirst() { indexes[suffix] = UInt16(index) }
        }
        texts = rows.map { $0[0] }
        unknown = UInt16(texts.firstIndex(of: "application/octet-stream") ?? 0)
        longestSuffix = indexes.keys.map(\.utf8.count).max() ?? 0
        self.indexes = indexes
    }

    func index(ofSuffix suffix: Substring.UTF8View) -> UInt16? {
        guard suffix.count <= longestSuffix else { return nil }
        let lower = suffix.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
        return indexes[String(decoding: lower, as: UTF8.self)]
    }
}
