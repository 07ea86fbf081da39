internal import JSONText

/// The text of a manifest.
enum ManifestText {
    /// The most bytes of the file.
    static let mostBytes = 65_536
    /// The deepest nesting of arrays and objects. Those of a schema are shown to clients inside seven others, and a
    /// client reads 32.
    static let greatestDepth = 24

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Validates the text: JSON in UTF-8 within the limits, no object with a key twice. A byte order mark in front
    /// is skipped.
    static func value(_ bytes: [UInt8]) throws(ManifestFault) -> ManifestValue {
        func fault(at offset: Int, _ message: String) -> ManifestFault {
            ManifestFault(line: ManifestValue.line(of: offset, in: bytes), message: message)
        }
        guard bytes.count <= mostBytes else {
            throw fault(at: mostBytes, "the text is longer than \(mostBytes) bytes")
        }
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            throw fault(at: 0, "the text must be UTF-8, not UTF-16")
        }
        let start = bytes.starts(with: byteOrderMark) ? byteOrderMark.count : 0
        do throws(JSONError) {
            let text = ByteSlice(bytes, start..<bytes.count)
            let limits = JSONLimits(depth: greatestDepth, bytes: mostBytes)
            let view = try JSONView(validating: text, limits: limits)
            // Its offset is that in the value, which has blanks in front.
            try refuseDoubleKeys(view, at: view.bytes.range.lowerBound - start)
            return ManifestValue(view: view, path: "")
        } catch {
            throw fault(at: start + error.offset, error.message)
        }
    }

    private static func refuseDoubleKeys(_ view: JSONView, at start: Int) throws(JSONError) {
        do throws(JSONError) {
            try view.refuseDoubleKeys()
        } catch {
            throw JSONError(error.reason, at: start + error.offset, error.message)
        }
    }
}
