import CJSONC

// json-c builds the tree, after the scanner has validated the text. It accepts more than JSON and loses some of
// the text; both are corrected here:
// - invalid JSON never reaches it: the scanner refuses it;
// - numbers that it would round or saturate are read from the text, identified by their order;
// - it turns some surrogate pairs (such as those of U+1D800) into U+FFFD, so strings with any such escape are
//   read from the text, too;
// - it keeps one of several equal keys: its tree then has fewer members than the scanner found, and the text is
//   refused;
// - it truncates keys at U+0000: such texts are refused.

extension JSONValue {
    /// Parses one JSON value; only blanks may surround it.
    /// - Complexity: O(bytes)
    package init(parsing bytes: ByteSlice, limits: JSONLimits = .wire) throws(JSONError) {
        let span = bytes.array.span.extracting(bytes.range)
        var scanner = JSONScanner(limits: limits, notesExact: true)
        let (kind, range) = try scanner.scanText(span)
        if let offset = scanner.zeroInKey {
            throw JSONError(.zeroInKey, at: offset, "U+0000 in a key")
        }
        if let scalar = Self(scalar: kind, span, range) {
            self = scalar
            return
        }
        let tree = try ParsedTree(bytes, range, depth: limits.depth)
        var reading = TreeReading(numbers: scanner.exactNumbers, strings: scanner.exactStrings)
        self = reading.value(of: tree, text: span)
        guard reading.memberCount == scanner.memberCount else {
            try refuseDoubleKeys(in: span)
            throw JSONError(.parser, at: 0, "json-c lost a member")
        }
    }

    package init(parsing bytes: [UInt8], limits: JSONLimits = .wire) throws(JSONError) {
        try self.init(parsing: ByteSlice(bytes), limits: limits)
    }

    package init(parsing text: String, limits: JSONLimits = .wire) throws(JSONError) {
        try self.init(parsing: Array(text.utf8), limits: limits)
    }

    /// A value that needs no tree: all but nonempty arrays and objects.
    private init?(scalar kind: JSONKind, _ span: Span<UInt8>, _ range: Range<Int>) {
        switch kind {
        case .null: self = .null
        case .bool: self = .bool(span[range.lowerBound] == UInt8(ascii: "t"))
        case .number: self = numberValue(span, range)
        case .string:
            let inner = (range.lowerBound + 1)..<(range.upperBound - 1)
            self = .string(resolvedText(span, inner, isPlain: !holdsEscape(span, inner)))
        case .array where range.count == 2: self = .array([])
        case .object where range.count == 2: self = .object(JSONObject())
        default: return nil
        }
    }
}

/// The sole owner of a tree built by json-c.
@safe private struct ParsedTree: ~Copyable {
    let root: OpaquePointer

    init(_ bytes: ByteSlice, _ range: Range<Int>, depth: Int) throws(JSONError) {
        // json-c also counts the level of the scalars, and compares with one less.
        guard let tokener = unsafe json_tokener_new_ex(Int32(clamping: depth &+ 3)) else {
            throw JSONError(.parser, at: 0, "out of memory for a parser")
        }
        defer { unsafe json_tokener_free(tokener) }
        let flags = JSON_TOKENER_STRICT
        unsafe json_tokener_set_flags(tokener, flags)
        // The pointer is used within the call only, and with the length of the same buffer.
        let root = unsafe bytes[bytes.range].withUnsafeBytes { buffer in
            let part = unsafe UnsafeRawBufferPointer(rebasing: buffer[range])
            return unsafe json_tokener_parse_ex(
                tokener, part.baseAddress?.assumingMemoryBound(to: CChar.self),
                Int32(clamping: part.count))
        }
        guard let root = unsafe root else {
            throw JSONError(
                .parser, at: unsafe Int(json_tokener_get_parse_end(tokener)),
                "json-c refused the text")
        }
        unsafe self.root = root
    }

    deinit {
        // The reference count was one at the start and has not changed.
        unsafe json_object_put(root)
    }
}

/// Traverses json-c's tree in the order of the text.
private struct TreeReading {
    private let exactNumbers: [JSONScanner.ExactScalar]
    private let exactStrings: [JSONScanner.ExactScalar]
    private var nextNumber = 0
    private var nextString = 0
    private var numberCount = 0
    private var stringCount = 0
    private(set) var memberCount = 0

    init(numbers: [JSONScanner.ExactScalar], strings: [JSONScanner.ExactScalar]) {
        exactNumbers = numbers
        exactStrings = strings
    }

    mutating func value(of tree: borrowing ParsedTree, text: Span<UInt8>) -> JSONValue {
        unsafe value(tree.root, text)
    }

    // All pointers below belong to the tree, which the caller keeps alive.
    private mutating func value(_ node: OpaquePointer?, _ text: Span<UInt8>) -> JSONValue {
        guard let node = unsafe node else { return .null }
        switch unsafe json_object_get_type(node) {
        case json_type_boolean: return unsafe .bool(json_object_get_boolean(node) != 0)
        case json_type_int, json_type_double: return unsafe number(node, text)
        case json_type_string: return unsafe .string(string(node, text))
        case json_type_array:
            let count = unsafe json_object_array_length(node)
            var elements: [JSONValue] = []
            elements.reserveCapacity(count)
            for index in 0..<count {
                unsafe elements.append(value(json_object_array_get_idx(node, index), text))
            }
            return .array(elements)
        case json_type_object: return unsafe .object(object(node, text))
        default: return .null
        }
    }

    private mutating func number(_ node: OpaquePointer, _ text: Span<UInt8>) -> JSONValue {
        defer { numberCount += 1 }
        if nextNumber < exactNumbers.count, exactNumbers[nextNumber].ordinal == numberCount {
            defer { nextNumber += 1 }
            return numberValue(text, exactNumbers[nextNumber].range)
        }
        if unsafe json_object_get_type(node) == json_type_int {
            return unsafe .integer(json_object_get_int64(node))
        }
        return unsafe .double(json_object_get_double(node))
    }

    private mutating func string(_ node: OpaquePointer, _ text: Span<UInt8>) -> String {
        if let exact = exactString(text) { return exact }
        let start = unsafe json_object_get_string(node)
        let length = unsafe Int(json_object_get_string_len(node))
        let raw = unsafe UnsafeRawBufferPointer(start: start, count: length)
        return unsafe String(decoding: raw, as: UTF8.self)
    }

    /// The next string, if it has to be read from the text.
    private mutating func exactString(_ text: Span<UInt8>) -> String? {
        defer { stringCount += 1 }
        guard nextString < exactStrings.count, exactStrings[nextString].ordinal == stringCount
        else { return nil }
        defer { nextString += 1 }
        return resolvedText(text, exactStrings[nextString].range, isPlain: false)
    }

    private mutating func object(_ node: OpaquePointer, _ text: Span<UInt8>) -> JSONObject {
        guard let table = unsafe json_object_get_object(node) else { return JSONObject() }
        var members: [JSONObject.Member] = []
        unsafe members.reserveCapacity(Int(table.pointee.count))
        // json-c links the entries of its table in insertion order.
        var entry = unsafe table.pointee.head
        while let current = unsafe entry {
            memberCount += 1
            let key =
                unsafe exactString(text)
                ?? String(cString: current.pointee.k.assumingMemoryBound(to: CChar.self))
            let child = unsafe OpaquePointer(current.pointee.v)
            unsafe members.append(JSONObject.Member(key: key, value: value(child, text)))
            unsafe entry = current.pointee.next
        }
        return JSONObject(distinct: members)
    }
}
