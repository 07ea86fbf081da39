internal import JSONText

/// The type of an attribute, as the manifest has it.
enum AttributeType: String, CaseIterable {
    case boolean, integer, number, time, text

    /// What a value of it must be, for people.
    private var inWords: String {
        switch self {
        case .boolean: "a boolean"
        case .integer: "an integer"
        case .number: "a finite number"
        case .time: "seconds since 1970"
        case .text: "a text"
        }
    }

    /// The value as it is sent, if it is one of this type.
    private func checked(_ value: AttributeValue) -> JSONValue? {
        switch (self, value) {
        case (.boolean, .boolean(let flag)): .bool(flag)
        case (.integer, .integer(let integer)), (.number, .integer(let integer)),
            (.time, .integer(let integer)):
            .integer(integer)
        case (.number, .number(let number)), (.time, .number(let number)):
            number.isFinite ? .double(number) : nil
        case (.text, .text(let text)): .string(text.cut(to: Limits.text))
        default: nil
        }
    }

    /// The value of the attribute `name` as it is sent.
    func check(_ value: AttributeValue, of name: String) throws(PluginError) -> JSONValue {
        if let checked = checked(value) { return checked }
        throw PluginError("\(name) is \(value.inWords), and must be \(inWords)")
    }
}

extension AttributeValue {
    /// For people.
    fileprivate var inWords: String {
        switch self {
        case .boolean(let flag): "the boolean \(flag)"
        case .integer(let integer): "the integer \(integer)"
        case .number(let number): "the number \(number)"
        case .text(let text): "the text '\(text.cut(to: 40))'"
        }
    }

    /// The value where no type says what it must be: an item of a source has members of other plugins, too.
    var plain: JSONValue {
        switch self {
        case .boolean(let flag): .bool(flag)
        case .integer(let integer): .integer(integer)
        case .number(let number): JSONValue(number)
        case .text(let text): .string(text)
        }
    }
}
