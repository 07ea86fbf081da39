internal import JSONText
package import WireProtocol

// What a plugin's schema is in `daemon.schema`.
extension CheckedSchema {
    /// The schema of a value.
    package var definition: Schema { .given(json) }

    /// The members of an object of this schema, as the parameters of a method. What it says beyond its members is checked
    /// all the same.
    package var members: [Schema.Member] {
        let required = (json["required"]?.arrayValue ?? []).compactMap(\.stringValue)
        let properties = json["properties"]?.objectValue?.members ?? []
        return properties.map { property in
            let schema = property.value.objectValue.map { Schema.given($0) } ?? .any
            return required.contains(property.key)
                ? .required(property.key, schema) : .optional(property.key, schema)
        }
    }
}
