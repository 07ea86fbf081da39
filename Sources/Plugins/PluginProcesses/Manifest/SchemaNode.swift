internal import JSONText

/// A schema inside a `CheckedSchema`, read.
final class SchemaNode: Sendable {
    let rules: SchemaRules

    init(_ rules: SchemaRules) {
        self.rules = rules
    }
}

/// The keywords of one schema. Nil and empty where the schema has none.
struct SchemaRules: Sendable {
    /// Whether it is `false`.
    var isNever = false
    var types: SchemaTypes?
    /// Of `const` and of `enum`.
    var values: [[JSONValue]] = []
    var minimum: JSONValue?
    var maximum: JSONValue?
    var exclusiveMinimum: JSONValue?
    var exclusiveMaximum: JSONValue?
    var minLength: Int?
    var maxLength: Int?
    var minItems: Int?
    var maxItems: Int?
    var prefix: [SchemaNode] = []
    /// Of the elements after the prefix.
    var rest: SchemaNode?
    var members: SchemaMembers?
    var anyOf: [SchemaNode] = []
    var oneOf: [SchemaNode] = []
    var allOf: [SchemaNode] = []
    var not: SchemaNode?
    /// The steps of a check, without those of its inner schemas, and of long texts.
    var steps = 1

    var hasLengths: Bool { minLength != nil || maxLength != nil }
    var hasCounts: Bool { minItems != nil || maxItems != nil }
}

/// What a schema says about the members of an object.
struct SchemaMembers: Sendable {
    /// A member that the schema names.
    struct Entry: Sendable {
        let name: String
        var schema: SchemaNode?
        /// Its place in `required`.
        var requirement: Int?
    }

    private(set) var entries: [Entry] = []
    private(set) var required: [String] = []
    /// Of the members that `properties` does not name; nil if there may be any.
    var additional: SchemaNode?
    /// By the bytes of the name: strings that are equal by Unicode's rules may be two names.
    private var places: [[UInt8]: Int] = [:]

    subscript(name: String) -> Entry? { places[Array(name.utf8)].map { entries[$0] } }

    mutating func define(_ name: String, _ schema: SchemaNode) {
        entries[place(name)].schema = schema
    }

    /// Returns false if it is required already.
    mutating func require(_ name: String) -> Bool {
        let place = place(name)
        if entries[place].requirement != nil { return false }
        entries[place].requirement = required.count
        required.append(name)
        return true
    }

    private mutating func place(_ name: String) -> Int {
        let key = Array(name.utf8)
        if let place = places[key] { return place }
        places[key] = entries.count
        entries.append(Entry(name: name))
        return entries.count - 1
    }
}
