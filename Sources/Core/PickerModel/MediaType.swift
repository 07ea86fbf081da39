// The media type of a file, by its name alone: from a built-in list, without the system's. The same name has
// the same type on every machine.

/// The media type of a file, by its name's suffix. Types compare by text.
package struct MediaType: Hashable, Sendable, BitwiseCopyable {
    /// The index in the table, which is sorted by text.
    private let index: UInt16

    /// The type of a file without a known suffix.
    package static let unknown = MediaType(index: table.unknown)

    /// The type of a file with this name; `application/octet-stream` if its suffix is unknown. Case is ignored.
    /// The longest suffix wins: `a.tar.gz` is a compressed archive. A name like `.md` has no suffix.
    /// - Complexity: O(n).
    package init(forName name: String) {
        self.init(forName: name.utf8Span.span)
    }

    /// The same for a name in bytes. Allocates nothing.
    init(forName name: borrowing Span<UInt8>) {
        let dot = UInt8(ascii: ".")
        guard let last = Self.lastIndex(of: dot, in: name, before: name.count), last > 0 else {
            self = .unknown
            return
        }
        if let first = Self.lastIndex(of: dot, in: name, before: last), first > 0,
            let found = MediaType.table.index(ofSuffix: name, from: first + 1)
        {
            index = found
            return
        }
        index =
            MediaType.table.index(ofSuffix: name, from: last + 1) ?? MediaType.table.unknown
    }

    private static func lastIndex(
        of byte: UInt8, in name: borrowing Span<UInt8>, before end: Int
    ) -> Int? {
        var index = end
        while index > 0 {
            index -= 1
            if name[index] == byte { return index }
        }
        return nil
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
    /// By the bytes of the suffix behind a 1, as a number.
    private let indexes: [UInt128: UInt16]
    private static let longestSuffix = MemoryLayout<UInt128>.size - 1

    init(list: String) {
        let rows = list.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
            .sorted { $0[0].compareBytes($1[0]) < 0 }
        var indexes: [UInt128: UInt16] = [:]
        for (index, row) in rows.enumerated() {
            for suffix in row.dropFirst() {
                precondition(suffix.utf8.count <= Self.longestSuffix)
                indexes[suffix.utf8.reduce(1) { $0 << 8 | UInt128($1) }] = UInt16(index)
            }
        }
        texts = rows.map { $0[0] }
        unknown = UInt16(texts.firstIndex(of: "application/octet-stream") ?? 0)
        self.indexes = indexes
    }

    /// The index of the type of names that end with the bytes from `start` on.
    func index(ofSuffix name: borrowing Span<UInt8>, from start: Int) -> UInt16? {
        guard name.count - start <= Self.longestSuffix else { return nil }
        var suffix: UInt128 = 1
        for place in start..<name.count {
            let byte = name[place]
            suffix = suffix << 8 | UInt128(0x41...0x5A ~= byte ? byte | 0x20 : byte)
        }
        return indexes[suffix]
    }
}
