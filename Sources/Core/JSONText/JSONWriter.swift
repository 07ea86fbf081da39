// Writes JSON directly into its own memory, without intermediate values. The writer adds the commas; the caller
// must close objects and arrays and write a key before each member's value (debug builds check the closing at
// the end).
//
// Invariant: `memory` has room for `capacity` bytes, the first `count` of which are initialised. Every write is
// preceded by `reserve` for at least as many bytes. The writer is the memory's only owner, so that writes need
// no uniqueness check (which made it three times as slow).

/// A writer of JSON in UTF-8, without blanks or line breaks.
@safe package struct JSONWriter: ~Copyable {
    private(set) var memory: UnsafeMutablePointer<UInt8>
    /// The allocated memory, in bytes.
    package private(set) var capacity: Int
    /// The number of bytes written.
    package internal(set) var count = 0
    var needsComma = false
    var depth = 0

    package init(capacity: Int = 256) {
        self.capacity = max(capacity, 64)
        unsafe memory = .allocate(capacity: self.capacity)
    }

    deinit {
        // Bytes need no deinitialising.
        unsafe memory.deallocate()
    }

    /// A copy of the bytes written.
    package var bytes: [UInt8] {
        assert(depth == 0, "an object or array was not closed")
        // The first `count` bytes are initialised.
        return unsafe Array(UnsafeBufferPointer(start: memory, count: count))
    }

    /// Calls `body` with the bytes written.
    @unsafe package borrowing func withBytes<Value>(
        _ body: (UnsafeBufferPointer<UInt8>) -> Value
    ) -> Value {
        assert(depth == 0, "an object or array was not closed")
        // The first `count` bytes are initialised, and the writer is borrowed for the call.
        return unsafe body(UnsafeBufferPointer(start: memory, count: count))
    }

    /// The bytes written.
    package consuming func finish() -> [UInt8] { bytes }

    /// The bytes written, with a line feed; the writer is empty afterwards, and keeps its memory.
    package mutating func finishLine() -> [UInt8] {
        put(0x0A)
        defer { removeAll() }
        return bytes
    }

    /// Discards the output and keeps the memory.
    package mutating func removeAll() {
        count = 0
        depth = 0
        needsComma = false
    }

    package mutating func beginObject() { open(UInt8(ascii: "{")) }
    package mutating func endObject() { close(UInt8(ascii: "}")) }
    package mutating func beginArray() { open(UInt8(ascii: "[")) }
    package mutating func endArray() { close(UInt8(ascii: "]")) }

    package mutating func object<Failure: Error>(
        _ body: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        beginObject()
        try body(&self)
        endObject()
    }

    package mutating func array<Failure: Error>(
        _ body: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        beginArray()
        try body(&self)
        endArray()
    }

    /// The key of the next value. Written unchanged: it must have no quotes, backslashes or control characters.
    package mutating func key(_ name: StaticString) {
        let length = name.utf8CodeUnitCount
        reserve(length &+ 4)
        var out = unsafe memory + count
        if needsComma {
            unsafe out[0] = UInt8(ascii: ",")
            unsafe out += 1
            count &+= 1
        }
        // Room for the name and four bytes was reserved. The text of a StaticString is immortal; a key has more
        // than one character.
        unsafe out[0] = UInt8(ascii: "\"")
        unsafe (out + 1).update(from: name.utf8Start, count: length)
        unsafe out[length &+ 1] = UInt8(ascii: "\"")
        unsafe out[length &+ 2] = UInt8(ascii: ":")
        count &+= length &+ 3
        needsComma = false
    }

    /// The key of the next value, with escapes where needed.
    package mutating func key(escaping name: String) {
        string(name)
        put(UInt8(ascii: ":"))
        needsComma = false
    }

    package mutating func null() { word("null") }

    package mutating func bool(_ value: Bool) {
        if value { word("true") } else { word("false") }
    }

    /// Writes validated text.
    package mutating func fragment(_ fragment: JSONFragment) {
        raw(fragment.bytes[...])
    }

    package mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .integer(let value): integer(value)
        case .number(let value): raw(Array(value.digits.utf8)[...])
        case .double(let value): double(value)
        case .string(let value): string(value)
        case .array(let elements):
            beginArray()
            for element in elements { self.value(element) }
            endArray()
        case .object(let members): object(members)
        }
    }

    package mutating func object(_ object: JSONObject) {
        beginObject()
        for member in object.members {
            key(escaping: member.key)
            value(member.value)
        }
        endObject()
    }

    private mutating func open(_ byte: UInt8) {
        separate()
        put(byte)
        needsComma = false
        depth += 1
    }

    private mutating func close(_ byte: UInt8) {
        put(byte)
        needsComma = true
        depth -= 1
    }

    private mutating func word(_ word: StaticString) {
        separate()
        // The text of a StaticString lives for ever.
        word.withUTF8Buffer { text in unsafe copy(text) }
    }

    mutating func raw(_ bytes: ArraySlice<UInt8>) {
        separate()
        // The buffer is used within the call only.
        unsafe bytes.withUnsafeBufferPointer { source in unsafe copy(source) }
    }

    /// Appends bytes unchanged.
    mutating func copy(_ source: UnsafeBufferPointer<UInt8>) {
        reserve(source.count)
        guard let from = source.baseAddress else { return }
        // Room for the whole source was reserved.
        unsafe (memory + count).update(from: from, count: source.count)
        count += source.count
    }

    /// Writes the comma before a value, if one is due, and makes the next one due.
    @inline(__always)
    mutating func separate() {
        if needsComma { put(UInt8(ascii: ",")) }
        needsComma = true
    }

    @inline(__always)
    mutating func put(_ byte: UInt8) {
        reserve(1)
        // Room for it was just reserved.
        unsafe memory[count] = byte
        count += 1
    }

    /// Makes room for `length` more bytes.
    @inline(__always)
    mutating func reserve(_ length: Int) {
        if capacity - count < length { grow(length) }
    }

    @inline(never)
    private mutating func grow(_ length: Int) {
        let larger = max(capacity * 2, count + length)
        let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        // The old memory has `count` bytes, the new one has room for more.
        unsafe moved.update(from: memory, count: count)
        unsafe memory.deallocate()
        unsafe memory = moved
        capacity = larger
    }
}

// Members in one call, for the most common types.
extension JSONWriter {
    package mutating func member(_ name: StaticString, _ value: String) {
        key(name)
        string(value)
    }

    package mutating func member(_ name: StaticString, _ value: Int) {
        key(name)
        integer(value)
    }

    package mutating func member(_ name: StaticString, _ value: Int64) {
        key(name)
        integer(value)
    }

    package mutating func member(_ name: StaticString, _ value: Double) {
        key(name)
        double(value)
    }

    package mutating func member(_ name: StaticString, _ value: Bool) {
        key(name)
        bool(value)
    }

    package mutating func member(_ name: StaticString, _ value: JSONFragment) {
        key(name)
        fragment(value)
    }

    package mutating func member(_ name: StaticString, _ value: JSONValue) {
        key(name)
        self.value(value)
    }

    package mutating func member(_ name: StaticString, _ values: [String]) {
        key(name)
        beginArray()
        for value in values { string(value) }
        endArray()
    }

    package mutating func member<Failure: Error>(
        object name: StaticString, _ body: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        key(name)
        try object(body)
    }

    package mutating func member<Failure: Error>(
        array name: StaticString, _ body: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        key(name)
        try array(body)
    }
}
