/// The scalars in the brackets of a pattern.
struct ScalarSet: Sendable {
    let ranges: [ClosedRange<UInt32>]
    let isNegated: Bool

    /// Whether the set has the scalar, in its own case or, if case is ignored, in another.
    /// - Complexity: O(ranges).
    func accepts(_ scalar: UInt32, ignoringCase: Bool) -> Bool {
        var isInside = contains(scalar)
        if !isInside, ignoringCase {
            isInside = contains(ScalarCase.lower(scalar)) || contains(ScalarCase.upper(scalar))
        }
        return isInside != isNegated
    }

    private func contains(_ scalar: UInt32) -> Bool {
        for index in ranges.indices where ranges[index].contains(scalar) { return true }
        return false
    }
}

/// Case mappings of single scalars; a scalar that maps to several is unchanged.
enum ScalarCase {
    static func lower(_ scalar: UInt32) -> UInt32 {
        if scalar < 0x80 { return 0x41...0x5A ~= scalar ? scalar | 0x20 : scalar }
        return only(Unicode.Scalar(scalar)?.properties.lowercaseMapping) ?? scalar
    }

    static func upper(_ scalar: UInt32) -> UInt32 {
        if scalar < 0x80 { return 0x61...0x7A ~= scalar ? scalar & ~0x20 : scalar }
        return only(Unicode.Scalar(scalar)?.properties.uppercaseMapping) ?? scalar
    }

    // A mapping has a few bytes, which Swift stores inline: nothing is allocated.
    private static func only(_ mapping: String?) -> UInt32? {
        guard let scalars = mapping?.unicodeScalars, let first = scalars.first,
            scalars.index(after: scalars.startIndex) == scalars.endIndex
        else { return nil }
        return first.value
    }
}
