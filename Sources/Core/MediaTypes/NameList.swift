// The lists that map types to names: aliases to types, and types to icons.

/// Reads lists that map a type to a name.
enum NameList {
    /// The most lines of one kind of list, of all files together.
    static let limit = 50_000

    /// The names by type. The first of several for a type counts, so the first file wins.
    static func read(
        _ files: [[UInt8]], separator: UInt8, _ leftOut: inout LeftOut,
        isValue: (ArraySlice<UInt8>) -> Bool
    ) -> [String: String] {
        var names: [String: String] = [:]
        for file in files {
            LineFile.read(file, &leftOut) { line, leftOut in
                let fields = line.split(
                    separator: separator, maxSplits: 1, omittingEmptySubsequences: false)
                guard fields.count == 2, let type = LineFile.type(fields[0]), isValue(fields[1])
                else { return false }
                if names[type] != nil { return true }
                if names.count < limit {
                    names[type] = String(decoding: fields[1], as: UTF8.self)
                } else {
                    leftOut.beyondLimit += 1
                }
                return true
            }
        }
        return names
    }

    static func isType(_ bytes: ArraySlice<UInt8>) -> Bool { LineFile.type(bytes) != nil }

    /// Whether this names an icon: visible ASCII without a slash, up to 255 bytes, and not a step in a path.
    static func isIcon(_ bytes: ArraySlice<UInt8>) -> Bool {
        (1...255).contains(bytes.count) && bytes.first != UInt8(ascii: ".")
            && bytes.allSatisfy { 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "/") }
    }

    /// The icon of a type that no list names.
    static func icon(ofType type: String) -> String {
        String(decoding: type.utf8.map { $0 == 0x2F ? 0x2D : $0 }, as: UTF8.self)
    }

    /// The generic icon of a type that no list names.
    static func genericIcon(ofType type: String) -> String {
        String(decoding: type.utf8.prefix { $0 != 0x2F }, as: UTF8.self) + "-x-generic"
    }
}
