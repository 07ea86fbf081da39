package import JSONText

// The subset of JSON Schema 2020-12 that this protocol needs. A schema is built next to the method that it
// describes, and written by `daemon.schema`.
//
// Keywords used, all of which the tests' validator supports: type, const, enum, pattern, minLength, maxLength,
// minimum, maximum, items, prefixItems, minItems, maxItems, properties, required, additionalProperties, anyOf,
// $ref, description.

/// A JSON Schema.
package struct Schema: Sendable {
    /// A member of an object, or a parameter of a method.
    package struct Member: Sendable {
        package let name: String
        package let schema: Schema
        package let isRequired: Bool

        package static func required(_ name: String, _ schema: Schema, _ about: String = "")
            -> Member
        {
            Member(name: name, schema: schema.described(about), isRequired: true)
        }

        package static func optional(_ name: String, _ schema: Schema, _ about: String = "")
            -> Member
        {
            Member(name: name, schema: schema.described(about), isRequired: false)
        }
    }

    /// The schema as JSON.
    package private(set) var json: JSONObject
    /// The named schemas that this one refers to, directly or indirectly.
    package private(set) var references: [NamedSchema]

    private init(_ json: JSONObject, _ parts: [Schema] = []) {
        self.json = json
        references = parts.flatMap(\.references)
    }

    /// The schema with a description for people.
    package func described(_ about: String) -> Schema {
        if about.isEmpty { return self }
        var schema = self
        schema.json["description"] = .string(about)
        return schema
    }

    private var value: JSONValue { .object(json) }
}

extension Schema {
    /// Anything.
    package static let any = Schema([:])
    package static let null = Schema(["type": "null"])
    package static let boolean = Schema(["type": "boolean"])
    package static let number = Schema(["type": "number"])
    package static let string = Schema(["type": "string"])
    package static let integer = Schema(["type": "integer"])
    /// An integer, 0 or more.
    package static let count = Schema(["type": "integer", "minimum": 0])
    /// An object without members.
    package static let empty = Schema(["type": "object", "additionalProperties": false])

    package static func string(
        from minimum: Int? = nil, to maximum: Int? = nil, pattern: String? = nil
    ) -> Schema {
        var json: JSONObject = ["type": "string"]
        json["minLength"] = minimum.map { JSONValue($0) }
        json["maxLength"] = maximum.map { JSONValue($0) }
        json["pattern"] = pattern.map { .string($0) }
        return Schema(json)
    }

    package static func integer(from minimum: Int? = nil, to maximum: Int? = nil) -> Schema {
        bounded("integer", minimum.map { JSONValue($0) }, maximum.map { JSONValue($0) })
    }

    package static func number(from minimum: Double? = nil, to maximum: Double? = nil) -> Schema {
        bounded("number", minimum.map { JSONValue($0) }, maximum.map { JSONValue($0) })
    }

    private static func bounded(_ type: String, _ minimum: JSONValue?, _ maximum: JSONValue?)
        -> Schema
    {
        var json: JSONObject = ["type": .string(type)]
        json["minimum"] = minimum
        json["maximum"] = maximum
        return Schema(json)
    }

    /// Exactly this value.
    package static func constant(_ value: JSONValue) -> Schema { Schema(["const": value]) }

    /// One of these strings.
    package static func choice(_ values: String...) -> Schema { choice(among: values) }

    /// One of these strings.
    package static func choice(among values: [String]) -> Schema {
        Schema(["type": "string", "enum": .array(values.map { .string($0) })])
    }

    /// What others wrote, in the keywords of JSON Schema.
    package static func given(_ json: JSONObject) -> Schema { Schema(json) }

    package static func array(
        of element: Schema, from minimum: Int? = nil, to maximum: Int? = nil
    ) -> Schema {
        var json: JSONObject = ["type": "array", "items": element.value]
        json["minItems"] = minimum.map { JSONValue($0) }
        json["maxItems"] = maximum.map { JSONValue($0) }
        return Schema(json, [element])
    }

    /// An array that begins with these elements, in this order.
    package static func array(beginningWith elements: Schema...) -> Schema {
        Schema(
            [
                "type": "array", "prefixItems": .array(elements.map(\.value)),
                "minItems": JSONValue(elements.count),
            ], elements)
    }

    /// An array of exactly these elements, in this order.
    package static func tuple(_ elements: Schema...) -> Schema {
        Schema(
            [
                "type": "array", "prefixItems": .array(elements.map(\.value)),
                "minItems": JSONValue(elements.count), "maxItems": JSONValue(elements.count),
            ], elements)
    }

    /// An object with exactly these members.
    package static func object(_ members: [Member]) -> Schema {
        var schema = openObject(members)
        schema.json["additionalProperties"] = false
        return schema
    }

    /// An object with these members, and others whose names match a pattern.
    package static func object(
        _ members: [Member], others: Schema, named pattern: String
    ) -> Schema {
        var schema = object(members)
        schema.json["patternProperties"] = .object([pattern: others.value])
        return schema
    }

    /// An object with these members and possibly others.
    package static func openObject(_ members: [Member]) -> Schema {
        var properties = JSONObject()
        for member in members { properties[member.name] = member.schema.value }
        var json: JSONObject = ["type": "object"]
        if !members.isEmpty { json["properties"] = .object(properties) }
        let required = members.filter(\.isRequired).map { JSONValue.string($0.name) }
        if !required.isEmpty { json["required"] = .array(required) }
        return Schema(json, members.map(\.schema))
    }

    /// An object with any keys and values of one schema.
    package static func dictionary(of value: Schema) -> Schema {
        Schema(["type": "object", "additionalProperties": value.value], [value])
    }

    /// One of several schemas.
    package static func either(_ alternatives: Schema...) -> Schema {
        Schema(["anyOf": .array(alternatives.map(\.value))], alternatives)
    }

    /// A reference to the schema of `named`.
    package static func reference(_ named: NamedSchema) -> Schema {
        var schema = Schema(["$ref": .string("#/components/schemas/\(named.name)")])
        schema.references = [named] + named.schema.references
        return schema
    }

    /// This schema, or null.
    package var orNull: Schema {
        // `any` includes null, and null stays null.
        if json.isEmpty || json["type"] == "null" { return self }
        // The description stays on the outside.
        var inner = self
        inner.json["description"] = nil
        var schema: Schema
        if let type = json["type"], json["enum"] == nil {
            schema = inner
            schema.json["type"] = [type, "null"]
        } else {
            schema = .either(inner, .null)
        }
        if let about = json["description"] { schema.json["description"] = about }
        return schema
    }
}

/// A schema that others refer to by name.
package struct NamedSchema: Sendable {
    package let name: String
    package let schema: Schema

    package init(_ name: String, _ schema: Schema) {
        self.name = name
        self.schema = schema
    }
}
