/// Sizes in a query's text: bytes, or thousands (K, M, G, …) or 1024s (Ki, Mi, Gi, …) of them.
enum SizeWords {
    private static let units: [(name: String, bytes: UInt64)] = [
        ("pi", 1 << 50), ("ti", 1 << 40), ("gi", 1 << 30), ("mi", 1 << 20), ("ki", 1 << 10),
        ("p", 1_000_000_000_000_000), ("t", 1_000_000_000_000), ("g", 1_000_000_000),
        ("m", 1_000_000), ("k", 1000),
    ]

    /// The bytes that `1.5M`, `2KiB` or `300` stand for; nil if it is no whole number of them.
    static func bytes(_ text: String) -> UInt64? {
        var rest = Substring(text.lowercased())
        if rest.hasSuffix("b") { rest.removeLast() }
        var scale: UInt64 = 1
        if let unit = units.first(where: { rest.hasSuffix($0.name) }) {
            scale = unit.bytes
            rest.removeLast(unit.name.count)
        }
        let parts = rest.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, let whole = parts.first, isDigits(whole),
            parts.count == 1 || isDigits(parts[1]), rest.utf8.count <= 20
        else { return nil }
        let fraction = parts.count == 2 ? parts[1] : ""
        guard let digits = UInt128(whole + fraction) else { return nil }
        let (product, isOver) = digits.multipliedReportingOverflow(by: UInt128(scale))
        let divisor = fraction.reduce(into: UInt128(1)) { result, _ in result *= 10 }
        guard !isOver, product % divisor == 0 else { return nil }
        return UInt64(exactly: product / divisor)
    }

    private static func isDigits(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { 0x30...0x39 ~= $0 }
    }

    /// The shortest text that stands for just these bytes.
    static func text(_ bytes: UInt64) -> String {
        guard bytes > 0 else { return "0" }
        for (name, scale) in units where bytes % scale == 0 {
            return "\(bytes / scale)" + name.prefix(1).uppercased() + name.dropFirst()
        }
        return "\(bytes)"
    }
}
