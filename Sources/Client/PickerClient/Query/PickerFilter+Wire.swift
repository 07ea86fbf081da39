package import JSONText

extension PickerFilter {
    /// The filter as the protocol's `where`, on one line.
    package var json: RawJSON { RawJSON(JSONFragment(wire)) }

    package var wire: JSONValue { Self.wire(node) }

    private static func wire(_ node: Node) -> JSONValue {
        switch node {
        case .everything: ["true"]
        case .nothing: ["not", ["true"]]
        case .all(let parts): .array(["allof"] + parts.map(wire))
        case .any(let parts): .array(["anyof"] + parts.map(wire))
        case .not(let part): ["not", wire(part)]
        case .suffix(let texts) where texts.count == 1: ["suffix", .string(texts[0].text)]
        case .suffix(let texts): ["suffix", .array(texts.map { .string($0.text) })]
        case .name(let name): ["name", .string(name.text)]
        case .match(let pattern, let ignoresCase):
            [ignoresCase ? "imatch" : "match", .string(pattern.text)]
        case .path(let pattern): ["path", .string(pattern.text)]
        case .size(let comparison, let size):
            ["size", .string(comparison.rawValue), size.json]
        case .modified(let comparison, let seconds):
            ["modified", .string(comparison.rawValue), .double(seconds)]
        case .liked: ["liked"]
        case .dropped: ["dropped"]
        case .hidden: ["hidden"]
        case .attribute(let name, let comparison, let value):
            ["attr", .string(name.text), .string(comparison.rawValue), wire(value)]
        case .attributeText(let name, let match, let text):
            ["attr", .string(name.text), .string(match.rawValue), .string(text.text)]
        case .keys(let keys): ["key", .array(keys.map { .string($0.text) })]
        case .attributeKnown(let name): ["attr", .string(name.text), "known", true]
        }
    }

    private static func wire(_ value: AttributeValue) -> JSONValue {
        switch value.content {
        case .number(let number): Int64(exactly: number).map { .integer($0) } ?? .double(number)
        case .text(let text): .string(text.text)
        case .flag(let flag): .bool(flag)
        }
    }
}
