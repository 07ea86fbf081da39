import JSONText
import PluginProcesses
import TestSupport
import Testing

@Suite struct ManifestMutationTests {
    /// Reads what may be a manifest; a fault is in one of its lines.
    private func check(_ bytes: [UInt8]) -> Bool {
        do throws(ManifestFault) {
            _ = try ProcessManifest(reading: bytes, reserved: ["items"])
            return true
        } catch {
            let lines = 1 + bytes.count { $0 == 0x0A || $0 == 0x0D }
            #expect((1...lines).contains(error.line), "\(error)")
            #expect(!error.message.isEmpty)
            #expect(error.message.utf8.count < 4096)
            return false
        }
    }

    @Test("changed bytes are read, or are a fault in a line of the text")
    func bytes() {
        withSeed { random in
            for _ in 0..<testRounds(2000) {
                var bytes = Array(ExampleManifest.text.utf8)
                for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
                    let place = Int.random(in: 0..<bytes.count, using: &random)
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                    case 1: bytes.remove(at: place)
                    case 2: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
                    default: bytes = Array(bytes.prefix(place + 1))
                    }
                }
                _ = check(bytes)
            }
        }
    }

    private static let others: [JSONValue] = [
        .null, true, 0, -1, 2, 1.5, 1e300, "", "x", "image.x", "\u{0}", [], [[]], ["true"], [1],
        [:], ["a": 1], ["type": "integer"], .string(String(repeating: "a", count: 5000)),
    ]

    /// The value with one change somewhere in it.
    private func mutated(_ value: JSONValue, _ random: inout SeededRandom) -> JSONValue {
        if random.chance(0.2) { return Self.others.randomElement(using: &random) ?? .null }
        switch value {
        case .array(var elements):
            guard let index = elements.indices.randomElement(using: &random) else { return value }
            switch Int.random(in: 0..<4, using: &random) {
            case 0: elements.remove(at: index)
            case 1: elements.append(elements[index])
            default: elements[index] = mutated(elements[index], &random)
            }
            return .array(elements)
        case .object(var object):
            guard let member = object.members.randomElement(using: &random) else { return value }
            switch Int.random(in: 0..<8, using: &random) {
            case 0: object[member.key] = nil
            case 1: object[member.key + "x"] = member.value
            default: object[member.key] = mutated(member.value, &random)
            }
            return .object(object)
        default: return Self.others.randomElement(using: &random) ?? .null
        }
    }

    /// The text, in which one member may be there twice.
    private func text(_ value: JSONValue, _ random: inout SeededRandom) -> [UInt8] {
        let text = value.description
        guard random.chance(0.2), case .object(let object) = value,
            let member = object.members.randomElement(using: &random)
        else { return Array(text.replacing(",", with: ",\n").utf8) }
        let key = JSONValue.string(member.key)
        return Array("{\(key):\n\(member.value),\n\(text.dropFirst())".utf8)
    }

    @Test("changed members are read, or are a fault in a line of the text")
    func members() throws {
        let whole = try JSONValue(parsing: ExampleManifest.text)
        withSeed { random in
            var read = 0
            let rounds = testRounds(2000)
            for _ in 0..<rounds {
                var value = whole
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    value = mutated(value, &random)
                }
                if check(text(value, &random)) { read += 1 }
            }
            // Both ends are reached.
            #expect(read > 0 && read < rounds || rounds < 100)
        }
    }
}
