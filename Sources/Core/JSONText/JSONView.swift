// Validated JSON text, decoded on demand: reading one member of an object decodes only that member. Scalars are
// decoded here; only `value()` of a container uses json-c.
//
// Invariant: `bytes` is exactly one valid JSON value, without surrounding blanks. A view keeps its whole array
// alive; to keep a part for long, use a `JSONFragment`.

/// The text of one JSON value.
package struct JSONView: Sendable {
    package let bytes: ByteSlice
    package let kind: JSONKind

    /// Validates `bytes`; blanks around the value are allowed.
    /// - Complexity: O(bytes), no allocation.
    package init(validating bytes: ByteSlice, limits: JSONLimits = .wire) throws(JSONError) {
        var scanner = JSONScanner(limits: limits)
        let (kind, range) = try scanner.scanText(bytes.array.span.extracting(bytes.range))
        self.init(scanned: bytes, range, kind)
    }

    package init(validating bytes: [UInt8], limits: JSONLimits = .wire) throws(JSONError) {
        try self.init(validating: ByteSlice(bytes), limits: limits)
    }

    /// A view of a value, which is encoded first.
    package init(_ value: JSONValue) {
        bytes = ByteSlice(value.bytes)
        kind = value.kind
    }

    /// A part of `bytes` that a scanner validated; the range is relative to the slice's start.
    package init(scanned bytes: ByteSlice, _ range: Range<Int>, _ kind: JSONKind) {
        self.bytes = bytes.part(range)
        self.kind = kind
    }

    package var isNull: Bool { kind == .null }

    /// Whether the text is `other`, byte by byte.
    package func hasBytes(of other: [UInt8]) -> Bool {
        sameBytes(bytes.array.span.extracting(bytes.range), other.span)
    }

    package var boolValue: Bool? {
        kind == .bool ? bytes.first == UInt8(ascii: "t") : nil
    }

    package var stringValue: String? {
        guard kind == .string else { return nil }
        let span = bytes.array.span.extracting(bytes.range)
        let inner = 1..<(bytes.count - 1)
        return resolvedText(span, inner, isPlain: !holdsEscape(span, inner))
    }

    /// The number as an integer, if it is whole and within Int64, including 3.0 and 1e3.
    package var integerValue: Int64? {
        guard kind == .number else { return nil }
        return integerValue(asWritten: ())
            ?? numberValue(bytes.array.span, bytes.range).integerValue
    }

    /// The number, if it is written as an integer without fraction or exponent.
    package func integerValue(asWritten: Void) -> Int64? {
        guard kind == .number else { return nil }
        return JSONText.integerValue(bytes.array.span, bytes.range)
    }

    /// The nearest Double; nil for other values, and beyond Double's range.
    package var doubleValue: Double? {
        guard kind == .number else { return nil }
        return numberValue(bytes.array.span, bytes.range).doubleValue
    }

    /// The decoded value.
    /// - Throws: when an object in it has a key twice, or a key with U+0000.
    package func value() throws(JSONError) -> JSONValue {
        try JSONValue(parsing: bytes, limits: .trusted)
    }

    /// A copy of the text, for the output.
    package var fragment: JSONFragment { JSONFragment(self) }

    /// The members of an object; none for other values.
    /// - Throws: when a key occurs twice.
    /// - Complexity: O(bytes)
    package func object() throws(JSONError) -> JSONObjectView {
        var tokens: [JSONMemberToken] = []
        if kind == .object {
            tokens.reserveCapacity(8)
            var scanner = JSONScanner(limits: .trusted)
            let span = bytes.array.span.extracting(bytes.range)
            try scanner.scanObjectText(span) { tokens.append($0) }
        }
        let object = JSONObjectView(scanned: bytes, tokens)
        try object.refuseDoubleKeys()
        return object
    }

    /// - Throws: when this object, or one inside it, has a key twice.
    /// - Complexity: O(bytes), and O(1) for a text without objects
    package func refuseDoubleKeys() throws(JSONError) {
        guard kind == .object || kind == .array else { return }
        try JSONText.refuseDoubleKeys(in: bytes.array.span.extracting(bytes.range))
    }

    /// The elements of an array; none for other values.
    /// - Throws: an error with the reason `size` if there are more than `limit`; the rest is not read then.
    /// - Complexity: O(bytes)
    package func elements(atMost limit: Int = .max) throws(JSONError) -> [JSONView] {
        guard kind == .array else { return [] }
        var elements: [JSONView] = []
        var scanner = JSONScanner(limits: .trusted)
        let span = bytes.array.span.extracting(bytes.range)
        try scanner.scanArrayText(span) { (kind, range) throws(JSONError) in
            guard elements.count < limit else {
                throw JSONError(.size, at: range.lowerBound, "more than \(limit) elements")
            }
            elements.append(JSONView(scanned: bytes, range, kind))
        }
        return elements
    }
}

extension JSONView: CustomStringConvertible {
    package var description: String { String(decoding: bytes, as: UTF8.self) }
}

extension JSONLimits {
    /// For text that was validated before, under other limits. The depth is still limited, because the scanner
    /// is recursive.
    static let trusted = JSONLimits(depth: 1024, bytes: .max)
}

/// The scanned, undecoded members of an object.
package struct JSONObjectView: Sendable {
    private let bytes: ByteSlice
    private let tokens: [JSONMemberToken]
    /// Whether this object, or one in its members, may have a key twice.
    package let mayHoldDoubleKeys: Bool

    /// The members that a scanner found in `bytes`.
    package init(
        scanned bytes: ByteSlice, _ tokens: [JSONMemberToken],
        mayHoldDoubleKeys: Bool = true
    ) {
        self.bytes = bytes
        self.tokens = tokens
        self.mayHoldDoubleKeys = mayHoldDoubleKeys
    }

    /// - Throws: when a key occurs twice.
    package func refuseDoubleKeys() throws(JSONError) {
        let span = bytes.array.span.extracting(bytes.range)
        if let key = firstDouble(tokens.count, span, { tokens[$0].key }) {
            throw JSONError(doubleKey: key, in: span)
        }
    }

    /// An object without members.
    package init() {
        bytes = ByteSlice([])
        tokens = []
        mayHoldDoubleKeys = false
    }

    package var count: Int { tokens.count }
    package var isEmpty: Bool { tokens.isEmpty }

    package func key(at index: Int) -> String {
        tokens[index].key.text(in: bytes.array.span.extracting(bytes.range))
    }

    package func value(at index: Int) -> JSONView {
        JSONView(scanned: bytes, tokens[index].value, tokens[index].kind)
    }

    /// The member with that key; keys are compared by bytes.
    /// - Complexity: O(members)
    package subscript(name: String) -> JSONView? {
        let span = bytes.array.span.extracting(bytes.range)
        var name = name
        let index = name.withUTF8 { name in
            // The buffer is read within the call only.
            let name = unsafe name.span
            return tokens.firstIndex { $0.key.equals(name, in: span) }
        }
        return index.map { JSONView(scanned: bytes, tokens[$0].value, tokens[$0].kind) }
    }
}

/// - Throws: when an object in a valid text has a key twice.
/// - Complexity: O(bytes)
func refuseDoubleKeys(in text: Span<UInt8>) throws(JSONError) {
    var scanner = JSONScanner(limits: .trusted)
    scanner.lookForDoubleKeys()
    _ = try scanner.scanText(text)
    if let key = scanner.doubleKey { throw JSONError(doubleKey: key, in: text) }
}

extension JSONError {
    /// The error of a key that repeats an earlier one.
    fileprivate init(doubleKey key: JSONStringToken, in text: Span<UInt8>) {
        self.init(
            .duplicateKey, at: key.range.lowerBound - 1,
            "key '\(key.text(in: text))' occurs twice")
    }
}

/// The first of `count` keys that equals an earlier one.
func firstDouble(
    _ count: Int, _ span: Span<UInt8>, _ key: (Int) -> JSONStringToken
) -> JSONStringToken? {
    if count <= 8 {
        for later in 0..<count {
            for earlier in 0..<later where equalKeys(key(earlier), key(later), span) {
                return key(later)
            }
        }
        return nil
    }
    var seen = Set<[UInt8]>(minimumCapacity: count)
    for index in 0..<count {
        let text = key(index).text(in: span)
        if !seen.insert(Array(text.utf8)).inserted { return key(index) }
    }
    return nil
}

private func equalKeys(
    _ one: JSONStringToken, _ other: JSONStringToken, _ span: Span<UInt8>
) -> Bool {
    guard one.isPlain, other.isPlain else {
        return sameText(one.text(in: span), other.text(in: span))
    }
    return sameBytes(span.extracting(one.range), span.extracting(other.range))
}
