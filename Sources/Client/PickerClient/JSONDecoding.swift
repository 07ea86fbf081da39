internal import JSONText

// Decodes Codable types from JSON values. A reader holds the value and its coding path; containers are the
// same value seen as an object, an array or a scalar. Members are found by the bytes of their keys. Each
// container has one generic `decode`, which satisfies all requirements for single types: `JSONScalar` types
// are decoded here, others decode themselves from a nested reader.

/// Reads Codable types from a JSON value.
struct JSONDecoding: Decoder {
    let value: JSONValue
    let codingPath: [any CodingKey]

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ value: JSONValue, at path: [any CodingKey] = []) {
        self.value = value
        codingPath = path
    }

    /// - Throws: `DecodingError`, with the coding path of the fault.
    func read<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if let scalar = type as? any JSONScalar.Type {
            guard let read = scalar.read(from: value) as? Value else { throw mismatch(type) }
            return read
        }
        return try Value(from: self)
    }

    func mismatch(_ type: Any.Type, _ wanted: String? = nil) -> DecodingError {
        let shown = value.description
        let text = shown.count > 60 ? "\(shown.prefix(60))…" : shown
        let context = DecodingError.Context(
            codingPath: codingPath, debugDescription: "\(text) is not \(wanted ?? "\(type)")")
        return value.isNull
            ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    func inner(_ value: JSONValue, _ key: any CodingKey) -> JSONDecoding {
        JSONDecoding(value, at: codingPath + [key])
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard let object = value.objectValue else { throw mismatch(Key.self, "an object") }
        return KeyedDecodingContainer(JSONObjectDecoding<Key>(decoding: self, object: object))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard let elements = value.arrayValue else { throw mismatch([Any].self, "an array") }
        return JSONArrayDecoding(decoding: self, elements: elements)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension JSONDecoding: SingleValueDecodingContainer {
    func decodeNil() -> Bool { value.isNull }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try read(type) }
}

/// A key of an array's element.
struct JSONIndexKey: CodingKey {
    /// The key of a superclass's members.
    static let superKey = JSONIndexKey(stringValue: "super")

    let intValue: Int?
    var stringValue: String { intValue.map { "\($0)" } ?? "super" }

    init(_ index: Int) { intValue = index }
    init?(intValue: Int) { self.intValue = intValue }
    init(stringValue: String) { intValue = nil }
}

private struct JSONObjectDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoding: JSONDecoding
    let object: JSONObject

    var codingPath: [any CodingKey] { decoding.codingPath }
    var allKeys: [Key] { object.keys.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { object[key.stringValue] != nil }

    private func inner(_ key: any CodingKey) throws -> JSONDecoding {
        guard let value = object[key.stringValue] else {
            throw DecodingError.keyNotFound(
                key,
                .init(codingPath: codingPath, debugDescription: "there is no '\(key.stringValue)'"))
        }
        return decoding.inner(value, key)
    }

    func decodeNil(forKey key: Key) throws -> Bool { try inner(key).value.isNull }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try inner(key).read(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try inner(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try inner(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        decoding.inner(object["super"] ?? .null, JSONIndexKey.superKey)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { try inner(key) }
}

private struct JSONArrayDecoding: UnkeyedDecodingContainer {
    let decoding: JSONDecoding
    let elements: [JSONValue]
    private(set) var currentIndex = 0

    var codingPath: [any CodingKey] { decoding.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex == elements.count }

    /// Reads the next element. After a failure the position stays, so that it can be read as another type.
    private mutating func next<Value>(
        _ type: Any.Type, _ read: (JSONDecoding) throws -> Value
    ) throws -> Value {
        let key = JSONIndexKey(currentIndex)
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                type,
                .init(
                    codingPath: codingPath + [key],
                    debugDescription: "there are only \(elements.count) elements"))
        }
        let value = try read(decoding.inner(elements[currentIndex], key))
        currentIndex += 1
        return value
    }

    mutating func decodeNil() throws -> Bool {
        let isNull = try next(Any.self) { $0.value.isNull }
        if !isNull { currentIndex -= 1 }
        return isNull
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try next(type) { try $0.read(type) }
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try next(type) { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next([Any].self) { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try next(Any.self) { $0 } }
}
