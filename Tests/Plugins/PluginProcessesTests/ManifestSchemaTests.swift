import JSONText
import PluginProcesses
import TestSupport
import Testing
import WireProtocol

@Suite struct ManifestSchemaTests {
    private let schema = JSONValue.object(ManifestSchema.schema.json)
    private let validator = JSONSchema(in: [:])

    @Test("it is a schema, and accepts the manifests of the tests")
    func accepts() throws {
        #expect(validator.faults(of: schema, at: "manifest") == [])
        for text in [ExampleManifest.text, ExampleManifest.least()] {
            let value = try JSONValue(parsing: text)
            #expect(validator.problems(of: value, by: schema, at: "manifest") == [])
        }
    }

    /// The paths of members that a schema describes: "attributes[].type".
    private func members(_ schema: JSONValue, _ path: String) -> [String] {
        let inner = (schema["properties"]?.objectValue?.members ?? []).flatMap { member in
            let path = path.isEmpty ? member.key : "\(path).\(member.key)"
            return [path] + members(member.value, path)
        }
        return inner + (schema["items"].map { members($0, path + "[]") } ?? [])
    }

    private func changed(_ value: JSONValue, at path: ArraySlice<String>) -> JSONValue {
        guard let name = path.first else { return [[true]] }
        guard name != "[]" else {
            var elements = value.arrayValue ?? []
            elements[0] = changed(elements[0], at: path.dropFirst())
            return .array(elements)
        }
        var object = value.objectValue ?? [:]
        object[name] = object[name].map { changed($0, at: path.dropFirst()) }
        return .object(object)
    }

    /// That no other member is read, a debug build checks at each reading.
    @Test("each member that it describes is read: a value of another type is a fault of both")
    func described() throws {
        let whole = try JSONValue(parsing: ExampleManifest.text)
        let paths = members(schema, "")
        #expect(paths.count == 41)
        for path in paths {
            let steps = path.replacing("[]", with: ".[]").split(separator: ".").map { String($0) }
            let value = changed(whole, at: steps[...])
            #expect(value != whole, "the example has no '\(path)'")
            let fault = #expect(throws: ManifestFault.self, "\(path)") {
                try ProcessManifest(reading: value.bytes)
            }
            let place = path.replacing("[]", with: "[0]")
            #expect(fault?.message.contains("'\(place)") == true, "\(fault?.message ?? "")")
            // What is in a schema of the plugin's is not described.
            if ["params", "result", "config"].contains(steps.last) { continue }
            #expect(!validator.problems(of: value, by: schema, at: "").isEmpty, "\(path)")
        }
    }
}
