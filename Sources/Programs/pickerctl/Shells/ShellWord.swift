// The words of a line as a shell reads them, also while the last one is being typed: its quotes may be open.
// Nothing is expanded.

/// A word of a line.
package struct ShellWord: Equatable {
    /// The quotes that are open at the end of a word.
    package enum Quote: Equatable {
        case none, single, double
        /// `$'…'`, which fish has not.
        case dollar
    }

    /// What the shell reads: without the quotes.
    package var bytes: [UInt8] = []
    /// Where it begins in the line.
    package var start: Int
    package var open = Quote.none

    /// The words of `line`; the last one is empty if a blank is in front of the end.
    package static func words(in line: [UInt8], of shell: Shell) -> [ShellWord] {
        var reader = ShellWordReader(line, shell)
        return reader.words()
    }

    /// `bytes` as they stand in a line of bash where `quote` is open.
    package static func quoted(_ bytes: [UInt8], in quote: Quote) -> [UInt8] {
        switch quote {
        case .none: bytes.contains(where: isControl) ? inDollars(bytes) : escaped(bytes)
        case .single: bytes.flatMap { $0 == UInt8(ascii: "'") ? Array(#"'\''"#.utf8) : [$0] }
        case .double:
            bytes.flatMap {
                "\"$`\\".utf8.contains($0) ? [UInt8(ascii: "\\"), $0] : [$0]
            }
        case .dollar: escapedInDollars(bytes)
        }
    }

    private static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F }

    private static func escaped(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            let isSpecial = " !\"$&'()*;<>?[\\]`{|}".utf8.contains(byte)
            if isSpecial || index == 0 && "~#".utf8.contains(byte) {
                result.append(UInt8(ascii: "\\"))
            }
            result.append(byte)
        }
        return result
    }

    private static func inDollars(_ bytes: [UInt8]) -> [UInt8] {
        Array("$'".utf8) + escapedInDollars(bytes) + [UInt8(ascii: "'")]
    }

    private static func escapedInDollars(_ bytes: [UInt8]) -> [UInt8] {
        bytes.flatMap { byte -> [UInt8] in
            switch byte {
            case UInt8(ascii: "\n"): return Array(#"\n"#.utf8)
            case UInt8(ascii: "\t"): return Array(#"\t"#.utf8)
            case UInt8(ascii: "'"), UInt8(ascii: "\\"): return [UInt8(ascii: "\\"), byte]
            case _ where isControl(byte):
                let digits = String(byte, radix: 8)
                return Array("\\\(String(repeating: "0", count: 3 - digits.count))\(digits)".utf8)
            default: return [byte]
            }
        }
    }
}
