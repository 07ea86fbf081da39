// Which media type a file has, by its name alone: a list built in, without a look at the system's
// own. The same name has the same type on every machine.

/// The media type of a file, by its name's suffix. Types compare by their texts.
package struct MediaType: Hashable, Sendable {
    /// The place in the table, which is in the order of the texts.
    private let index: UInt16

    /// The type of a file that no suffix tells of.
    package static let unknown = MediaType(index: table.unknown)

    /// The type of a file with this name; `application/octet-stream` if its suffix is not known.
    /// Upper and lower case are the same. The longer suffix counts: `a.tar.gz` is a packed archive.
    /// A name like `.md` has no suffix.
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

    /// Where it comes among all types that there are.
    var rank: Int { Int(index) }

    private static let table = Table(list: list)
}

extension MediaType: Comparable {
    package static func < (left: MediaType, right: MediaType) -> Bool {
        left.index < right.index
    }
}

/// The list, ready for looking up.
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
