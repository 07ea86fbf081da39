import JSONText
import PluginProcesses
import TestSupport
import Testing

/// The schema checker and the validator of the tests, which were written apart, agree.
@Suite struct RandomSchemaTests {
    private static let names = ["a", "b", "c", "é", ""]
    private static let scalars: [JSONValue] = [
        .null, true, false, 0, 1, 2, -1, 3.0, 0.5, -2.5, 1e17, "", "a", "ab", "日本", "é",
    ]

    private func value(_ random: inout SeededRandom, _ depth: Int = 0) -> JSONValue {
        if depth < 3, random.chance(0.3) {
            let count = Int.random(in: 0...3, using: &random)
            return .array((0..<count).map { _ in value(&random, depth + 1) })
        }
        if depth < 3, random.chance(0.4) {
            var object = JSONObject()
            for name in Self.names where random.chance(0.4) {
                object[name] = value(&random, depth + 1)
            }
            return .object(object)
        }
        return Self.scalars.randomElement(using: &random) ?? .null
    }

    private static let types: [JSONValue] = [
        "null", "boolean", "integer", "number", "string", "array", "object",
    ]

    private func schema(_ random: inout SeededRandom, _ depth: Int = 0) -> JSONValue {
        if depth > 0, random.chance(0.1) { return .bool(random.chance(0.6)) }
        var json = JSONObject()
        func some(
            _ probability: Double, _ name: String, _ make: (inout SeededRandom) -> JSONValue?
        ) {
            if random.chance(probability) { json[name] = make(&random) }
        }
        some(0.3, "type") { random in
            if random.chance(0.6) { return Self.types.randomElement(using: &random) }
            return .array(Self.types.shuffled(using: &random).dropLast(3))
        }
        some(0.05, "const") { value(&$0, 2) }
        some(0.1, "enum") { random in .array((0..<4).map { _ in value(&random, 2) }) }
        for bound in ["minimum", "maximum"] {
            some(0.15, bound) { [-1, 0, 0.5, 1, 3].randomElement(using: &$0) }
        }
        for bound in ["minLength", "maxLength", "minItems", "maxItems"] {
            some(0.1, bound) { [0, 1, 2, 3].randomElement(using: &$0) }
        }
        some(0.2, "required") { random in
            .array(Self.names.shuffled(using: &random).dropLast(3).map { .string($0) })
        }
        guard depth < 3 else { return .object(json) }
        // The other validator applies `items` to the prefix, too.
        if random.chance(0.3) {
            some(0.7, "items") { schema(&$0, depth + 1) }
        } else {
            some(0.2, "prefixItems") { random in
                .array((0..<2).map { _ in schema(&random, depth + 1) })
            }
        }
        some(0.4, "properties") { random in
            var members = JSONObject()
            for name in Self.names where random.chance(0.5) {
                members[name] = schema(&random, depth + 1)
            }
            return .object(members)
        }
        some(0.2, "additionalProperties") { schema(&$0, depth + 1) }
        some(0.2, "anyOf") { random in .array((0..<2).map { _ in schema(&random, depth + 1) }) }
        return .object(json)
    }

    @Test("the same values fit random schemas")
    func agreement() throws {
        let validator = JSONSchema(in: [:])
        try withSeed { random in
            var fitting = 0
            var faulty = 0
            for _ in 0..<testRounds(300) {
                let json = schema(&random)
                let schema = try CheckedSchema(reading: json.bytes)
                for _ in 0..<10 {
                    let value = value(&random)
                    let problems = validator.problems(of: value, by: json, at: "$")
                    let fault = schema.fault(in: value, called: "$")
                    #expect(
                        (fault == nil) == problems.isEmpty,
                        "\(json) \(value) \(problems) \(fault?.message ?? "")")
                    if fault == nil { fitting += 1 } else { faulty += 1 }
                }
            }
            #expect(fitting > 0 && faulty > 0)
        }
    }
}
