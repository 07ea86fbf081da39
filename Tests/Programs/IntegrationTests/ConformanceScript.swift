// A file of contrib/clients/conformance, run by the Swift client. What the lines mean is told there.

import JSONText
import PickerClient
import TestSupport
import WireProtocol

/// One file on its way, over one connection.
final class ConformanceScript {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let connection: PickerConnection
    private var ids: [String: RequestID] = [:]
    private var bound: [String: JSONValue]
    private var answers: [String: Result<JSONValue, ClientError>] = [:]
    private var notifications: [JSONValue] = []

    init(over connection: PickerConnection, root: String) {
        self.connection = connection
        bound = ["root": .string(root)]
        connection.onNotificationLine = { [unowned self] _, line in
            notifications.append((try? JSONValue(parsing: Array(line))) ?? .null)
        }
    }

    /// - Throws: at the first line that does not hold.
    func run(_ text: String) throws {
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        where !line.isEmpty && !line.hasPrefix("#") {
            do {
                try runLine(line)
            } catch {
                throw Failure(description: "line \(number + 1), \(line): \(error)")
            }
        }
        let left =
            answers.keys.sorted() + ids.keys.filter { waited[$0] == nil && answers[$0] == nil }
        if !left.isEmpty || !notifications.isEmpty {
            throw Failure(description: "at the end nobody has waited for \(left), \(notifications)")
        }
    }

    private var waited: [String: Bool] = [:]

    private func runLine(_ line: Substring) throws {
        let words = line.split(separator: " ", maxSplits: 3).map { String($0) }
        switch words.first {
        case ">" where words.count == 4:
            let params = try substituted(JSONValue(parsing: words[3]))
            send(words[2], try RawJSON(String(decoding: params.bytes, as: UTF8.self)), as: words[1])
        case "<" where words.count >= 3, "!" where words.count >= 3:
            let pattern = try self.pattern(line, afterWords: 2)
            try expect(answerOf: words[1], toBe: pattern, isError: words[0] == "!")
        case "*" where words.count >= 3:
            try expect(notification: words[1], with: try pattern(line, afterWords: 2))
        case "=" where words.count == 1:
            guard answers.isEmpty, notifications.isEmpty else {
                throw Failure(description: "came: \(answers.keys) \(notifications)")
            }
        default: throw Failure(description: "not a line of a script")
        }
    }

    private func pattern(_ line: Substring, afterWords count: Int) throws -> JSONValue {
        try JSONValue(parsing: String(line.split(separator: " ", maxSplits: count)[count]))
    }

    private func send(_ method: String, _ params: RawJSON, as name: String) {
        let id = connection.nextID()
        ids[name] = id
        connection.send(method, params, as: id).then { [unowned self] outcome in
            answers[name] = outcome.map { (try? JSONValue(parsing: $0.text)) ?? .null }
        }
    }

    // MARK: Waiting

    private func expect(answerOf name: String, toBe pattern: JSONValue, isError: Bool) throws {
        guard ids[name] != nil else { throw Failure(description: "there is no request '\(name)'") }
        try wait { answers[name] != nil }
        waited[name] = true
        switch answers.removeValue(forKey: name) {
        case .success(let result)? where !isError: try match(result, pattern, "result")
        case .failure(let error)? where isError:
            guard let refusal = error.refusal else { throw error }
            var data: JSONObject = ["kind": .string(refusal.kind.name)]
            data["at"] = refusal.at.map { .string($0) }
            let shown: JSONValue = [
                "code": JSONValue(refusal.kind.code), "message": .string(refusal.message),
                "data": .object(data),
            ]
            try match(shown, pattern, "error")
        case let other: throw Failure(description: "came \(other.map { "\($0)" } ?? "nothing")")
        }
    }

    private func expect(notification method: String, with pattern: JSONValue) throws {
        try wait { !notifications.isEmpty }
        let line = notifications.removeFirst()
        guard line["method"]?.stringValue == method else {
            throw Failure(description: "came \(line)")
        }
        try match(line["params"] ?? .null, pattern, "params")
    }

    private func wait(_ condition: () -> Bool) throws {
        var isLate = false
        let timer = connection.loop.schedule(after: patience) { isLate = true }
        defer { timer.cancel() }
        _ = withExtendedLifetime(connection) {
            connection.loop.run { condition() || isLate || !connection.isOpen }
        }
        guard condition() else { throw Failure(description: "it did not come") }
    }

    // MARK: Patterns

    private func substituted(_ value: JSONValue) throws -> JSONValue {
        switch value {
        case .string(let text) where text.hasPrefix("@"):
            let name = String(text.dropFirst())
            guard let known = ids[name]?.value ?? bound[name] else {
                throw Failure(description: "'\(text)' is nothing yet")
            }
            return known
        case .array(let elements): return .array(try elements.map(substituted))
        case .object(let object):
            var result = JSONObject()
            for member in object.members { result[member.key] = try substituted(member.value) }
            return .object(result)
        default: return value
        }
    }

    private func match(_ value: JSONValue, _ pattern: JSONValue, _ path: String) throws {
        let holds: Bool
        switch pattern {
        case .string(let text) where text.hasPrefix("@"):
            holds = isMatch(value, String(text.dropFirst()))
        case .array(let patterns):
            guard let elements = value.arrayValue, elements.count == patterns.count else {
                throw Failure(description: "\(path): \(value)")
            }
            for (index, pair) in zip(elements, patterns).enumerated() {
                try match(pair.0, pair.1, "\(path)[\(index)]")
            }
            return
        case .object(let members):
            guard let object = value.objectValue else {
                throw Failure(description: "\(path): \(value)")
            }
            for member in members.members {
                guard let found = object[member.key] else {
                    throw Failure(description: "\(path): no member '\(member.key)' in \(value)")
                }
                try match(found, member.value, "\(path).\(member.key)")
            }
            return
        default: holds = value == pattern
        }
        if !holds { throw Failure(description: "\(path): \(value), not \(pattern)") }
    }

    private func isMatch(_ value: JSONValue, _ name: String) -> Bool {
        switch name {
        case "any": return true
        case "string": return value.kind == .string
        case "number": return value.kind == .number
        case "integer": return value.integerValue != nil
        default:
            if let known = ids[name]?.value ?? bound[name] { return value == known }
            bound[name] = value
            return true
        }
    }
}
