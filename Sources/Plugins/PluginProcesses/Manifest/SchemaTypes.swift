internal import JSONText

/// The types that a schema allows.
struct SchemaTypes: OptionSet, Sendable {
    let rawValue: UInt8

    static let null = SchemaTypes(rawValue: 1)
    static let boolean = SchemaTypes(rawValue: 2)
    static let integer = SchemaTypes(rawValue: 4)
    /// Integers, too.
    static let number = SchemaTypes(rawValue: 8)
    static let string = SchemaTypes(rawValue: 16)
    static let array = SchemaTypes(rawValue: 32)
    static let object = SchemaTypes(rawValue: 64)

    /// In the order in which messages name them.
    static let names: KeyValuePairs<String, SchemaTypes> = [
        "null": null, "boolean": boolean, "integer": integer, "number": number,
        "string": string, "array": array, "object": object,
    ]

    init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    init?(name: String) {
        guard let named = Self.names.first(where: { $0.key == name }) else { return nil }
        self = named.value
    }

    /// The type of all values of a kind.
    init(_ kind: JSONKind) {
        self =
            switch kind {
            case .null: .null
            case .bool: .boolean
            case .number: .number
            case .string: .string
            case .array: .array
            case .object: .object
            }
    }

    func holds(_ value: JSONValue) -> Bool {
        if contains(SchemaTypes(value.kind)) { return true }
        return contains(.integer) && value.isWhole
    }
}
