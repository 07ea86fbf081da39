package import JSONText

/// A JSON Schema (draft 2020-12) of the keywords in `SchemaKeyword`, against which values are checked.
///
/// Limits: schemas are nested 16 deep at most and have 2,048 keywords in all. A check ends after 200,000 steps, less
/// than ten milliseconds, with the fault that the value takes too long: a step is a schema, a keyword, a member, a
/// value of `enum`, or 16 bytes of a text. Lengths of strings are in Unicode's scalar values; numbers are
/// compared exactly.
package struct CheckedSchema: Sendable {
    package static let greatestDepth = 16
    package static let mostKeywords = 2048
    /// The most steps of one check.
    package static let mostSteps = 200_000

    /// The schema as it is written, annotations included.
    package let json: JSONObject
    private let root: SchemaNode

    /// Every value fits.
    package static let anything = CheckedSchema(json: [:], root: SchemaNode(SchemaRules()))

    private init(json: JSONObject, root: SchemaNode) {
        self.json = json
        self.root = root
    }

    /// Reads the text of one schema, of at most 64 KiB.
    package init(reading bytes: [UInt8]) throws(ManifestFault) {
        try self.init(ManifestText.value(bytes))
    }

    init(_ value: ManifestValue) throws(ManifestFault) {
        guard value.view.kind == .object else { throw value.mustBe("a JSON Schema: an object") }
        var reader = SchemaReader()
        root = try reader.node(value)
        json = try value.value().objectValue ?? [:]
    }

    /// What is wrong with a value; nil if it fits. Messages call the value `name`, and its members by theirs.
    package func fault(in value: JSONValue, called name: String = "params") -> SchemaFault? {
        var evaluation = SchemaEvaluation(of: name)
        do throws(SchemaFault) {
            try evaluation.check(value, root)
            return nil
        } catch {
            return error
        }
    }

    /// The same, for a value that is not decoded. A key that an object has twice is a fault.
    package func fault(in view: JSONView, called name: String = "params") -> SchemaFault? {
        do throws(JSONError) {
            return fault(in: try view.value(), called: name)
        } catch {
            return SchemaFault(at: name, message: "in '\(name)', \(error.message)")
        }
    }
}

extension CheckedSchema: Equatable {
    package static func == (one: CheckedSchema, other: CheckedSchema) -> Bool {
        one.json == other.json
    }
}

/// What is wrong with a value, and where.
package struct SchemaFault: Error, Hashable, Sendable {
    /// The path of the value: "size.width".
    package let at: String
    /// "'size.width' must be an integer, 0 or more, not \"x\"".
    package let message: String
}

extension SchemaFault: CustomStringConvertible {
    package var description: String { message }
}

extension ManifestObject {
    /// A member that is a JSON Schema; nil if it is absent.
    func schema(_ name: String) throws(ManifestFault) -> CheckedSchema? {
        guard let value = self[name] else { return nil }
        return try CheckedSchema(value)
    }
}
