internal import JSONText

// Encodes Codable types as JSON values. Each container fills a node of a tree, which is converted to a
// value at the end. Numbers that are not finite become null, because JSON has none.

/// Writes a Codable type as a JSON value.
struct JSONEncoding: Encoder {
    /// A node of the tree. A container of another kind replaces the previous one.
    final class Node {
        /// The value of what is neither an array nor an object.
        var scalar: JSONValue?
        private var isArray = false
        /// The elements of an array, with empty keys, or the members of an object.
        private var parts: [(key: String, node: Node)] = []

        var value: JSONValue {
            if let scalar { return scalar }
            if isArray { return .array(parts.map(\.node.value)) }
            var object = JSONObject()
            for part in parts { object[part.key] = part.node.value }
            return .object(object)
        }

        /// Makes this an array or an object, if it is not.
        func hold(array isArray: Bool) {
            if scalar == nil, isArray == self.isArray { return }
            scalar = nil
            self.isArray = isArray
            parts = []
        }

        /// Adds a member with this key, or an element.
        func add(_ key: String? = nil) -> Node {
            hold(array: key == nil)
            let node = Node()
            parts.append((key ?? "", node))
            return node
        }

        var count: Int { scalar == nil && isArray ? parts.count : 0 }
    }

    let node: Node
    let codingPath: [any CodingKey]

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// - Throws: errors of the type's own encoding.
    static func value(of source: some Encodable) throws -> JSONValue {
        let node = Node()
        try JSONEncoding(node: node, codingPath: []).write(source)
        return node.value
    }

    func write<Value: Encodable>(_ value: Value) throws {
        if let scalar = value as? any JSONScalar {
            node.scalar = scalar.json
        } else {
            try value.encode(to: self)
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.hold(array: false)
        return KeyedEncodingContainer(JSONObjectEncoding<Key>(encoding: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.hold(array: true)
        return JSONArrayEncoding(encoding: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension JSONEncoding: SingleValueEncodingContainer {
    func encodeNil() { node.scalar = .null }
    func encode<Value: Encodable>(_ value: Value) throws { try write(value) }
}

private struct JSONObjectEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoding: JSONEncoding

    var codingPath: [any CodingKey] { encoding.codingPath }

    private func inner(_ key: any CodingKey) -> JSONEncoding {
        JSONEncoding(node: encoding.node.add(key.stringValue), codingPath: codingPath + [key])
    }

    func encodeNil(forKey key: Key) { inner(key).encodeNil() }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try inner(key).write(value)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        inner(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        inner(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { inner(JSONIndexKey.superKey) }
    func superEncoder(forKey key: Key) -> any Encoder { inner(key) }
}

private struct JSONArrayEncoding: UnkeyedEncodingContainer {
    let encoding: JSONEncoding

    var codingPath: [any CodingKey] { encoding.codingPath }
    var count: Int { encoding.node.count }

    private func inner() -> JSONEncoding {
        let key = JSONIndexKey(count)
        return JSONEncoding(node: encoding.node.add(), codingPath: codingPath + [key])
    }

    func encodeNil() { inner().encodeNil() }
    func encode<Value: Encodable>(_ value: Value) throws { try inner().write(value) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) -> KeyedEncodingContainer<Nested> {
        inner().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { inner().unkeyedContainer() }
    func superEncoder() -> any Encoder { inner() }
}
