internal import JSONText

// Encodes Codable types as JSON values. Each container fills a node of a tree, which is converted to a
// value at the end. Numbers that are not finite become null, because JSON has none.

/// Writes a Codable type as a JSON value.
struct JSONEncoding: Encoder {
    /// A node of the tree. A container of another kind replaces the previous one.
    final class Node {
        enum Content {
            case none
            case value(JSONValue)
            case array([Node])
            case object([(key: String, node: Node)])
        }

        var content = Content.none

        var value: JSONValue {
            switch content {
            case .none: return .object(JSONObject())
            case .value(let value): return value
            case .array(let nodes): return .array(nodes.map(\.value))
            case .object(let members):
                var object = JSONObject()
                for member in members { object[member.key] = member.node.value }
                return .object(object)
            }
        }

        func add() -> Node {
            let node = Node()
            var nodes: [Node] = []
            if case .array(let before) = content { nodes = before }
            content = .none
            nodes.append(node)
            content = .array(nodes)
            return node
        }

        func add(_ key: String) -> Node {
            let node = Node()
            var members: [(key: String, node: Node)] = []
            if case .object(let before) = content { members = before }
            content = .none
            members.append((key, node))
            content = .object(members)
            return node
        }

        var count: Int {
            if case .array(let nodes) = content { nodes.count } else { 0 }
        }
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
            node.content = .value(scalar.json)
        } else {
            try value.encode(to: self)
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if case .object = node.content {} else { node.content = .object([]) }
        return KeyedEncodingContainer(JSONObjectEncoding<Key>(encoding: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if case .array = node.content {} else { node.content = .array([]) }
        return JSONArrayEncoding(encoding: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension JSONEncoding: SingleValueEncodingContainer {
    func encodeNil() { node.content = .value(.null) }
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
