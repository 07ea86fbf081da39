import JSONText
import PluginProcesses

/// What a plugin says about one file.
struct FileAnswer: Equatable {
    enum Content: Equatable {
        case values(JSONObject)
        case none
        case error(String)
        case retry
    }

    let content: Content
    /// The file that it read; nil if it does not say.
    let seen: [Int64]?

    var hasValues: Bool {
        if case .values = content { true } else { false }
    }

    var text: String {
        switch content {
        case .values(let values): JSONValue.object(values).description
        case .none: #"{"none":true}"#
        case .error(let message): "the error '\(message)'"
        case .retry: #"{"retry":true}"#
        }
    }

    /// Reads the answer as far as it can be understood; what is wrong with it goes to `faults`.
    init(_ value: JSONValue, _ wanted: [ProcessManifest.Attribute], _ faults: inout [String]) {
        let kinds = ["values", "none", "error", "retry"].filter { value[$0] != nil }
        let shown = RunningPlugin.shown(value.bytes)
        if kinds.count != 1 {
            faults.append("an answer has one of values, none, error and retry, unlike \(shown)")
        }
        var seen: [Int64]?
        if let told = value["seen"] {
            let numbers = (told.arrayValue ?? []).compactMap(\.integerValue)
            if numbers.count == 4, told.arrayValue?.count == 4 { seen = numbers }
            if seen == nil {
                faults.append(
                    "'seen' has four integers (inode, size, seconds, nanoseconds), unlike \(shown)")
            }
        }
        self.seen = seen
        if let values = value["values"] {
            content = .values(Self.values(values, wanted, shown, &faults))
        } else if let message = value["error"] {
            if message.stringValue == nil { faults.append("'error' is a text, unlike \(shown)") }
            content = .error(message.stringValue ?? "")
        } else if value["retry"] != nil {
            content = .retry
        } else {
            content = .none
        }
    }

    private static func values(
        _ value: JSONValue, _ wanted: [ProcessManifest.Attribute], _ shown: String,
        _ faults: inout [String]
    ) -> JSONObject {
        guard let object = value.objectValue, !object.isEmpty else {
            faults.append("'values' is an object that has some, unlike \(shown)")
            return [:]
        }
        for member in object.members {
            guard let attribute = wanted.first(where: { $0.name == member.key }) else {
                faults.append("'\(member.key)' was not wanted, and is in \(shown)")
                continue
            }
            if let right = attribute.type.mismatch(of: member.value) {
                faults.append(
                    "'\(member.key)' must be \(right), unlike \(member.value.description)")
            }
        }
        return object
    }
}

extension ProcessManifest.AttributeType {
    /// The longest value that is a text, in bytes.
    private static let longestText = 1024

    /// What a value of this type must be, if this one is not.
    fileprivate func mismatch(of value: JSONValue) -> String? {
        switch self {
        case .boolean: value.boolValue == nil ? "a boolean" : nil
        case .integer: value.integerValue == nil ? "an integer of 64 bits" : nil
        case .number: value.doubleValue == nil ? "a number" : nil
        case .time: value.doubleValue == nil ? "a number: seconds since 1970" : nil
        case .text:
            (value.stringValue?.utf8.count ?? .max) > Self.longestText
                ? "a text of at most \(Self.longestText) bytes" : nil
        }
    }
}
