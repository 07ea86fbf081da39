/// The keywords of JSON Schema that are checked.
enum SchemaKeyword: String, CaseIterable {
    case type, const
    case `enum`
    case minimum, maximum, exclusiveMinimum, exclusiveMaximum, minLength, maxLength
    case items, prefixItems, minItems, maxItems
    case properties, required, additionalProperties
    case anyOf, oneOf, allOf, not

    /// Those that no value is checked against. Words that begin with "x-" are ignored, too.
    static let annotations: Set<String> = [
        "title", "description", "default", "examples", "$comment", "deprecated", "readOnly",
        "writeOnly", "format", "$schema", "$id",
    ]

    static let names = allCases.map(\.rawValue)
}
