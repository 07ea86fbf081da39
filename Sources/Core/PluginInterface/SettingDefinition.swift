/// A setting of a plugin: its name in the settings file, its range and its default.
package struct SettingDefinition: Sendable {
    package enum Kind: Sendable {
        case integer(ClosedRange<Int>)
        case boolean
    }

    package let name: String
    package let kind: Kind
    /// The default.
    package let usual: SettingValue
    /// One sentence.
    package let summary: String

    package static func integer(
        _ name: String, in range: ClosedRange<Int>, usual: Int, _ summary: String
    ) -> Self {
        precondition(range.contains(usual), "'\(name)' is \(usual) by default, out of its range")
        return Self(name: name, kind: .integer(range), usual: .integer(usual), summary: summary)
    }

    package static func boolean(_ name: String, usual: Bool, _ summary: String) -> Self {
        Self(name: name, kind: .boolean, usual: .boolean(usual), summary: summary)
    }

    /// A setting of every plugin that is not required.
    package static let enabled = boolean(
        "enabled", usual: true, "Whether the plugin is switched on")

    /// Whether a value is of this kind, and in its range.
    package func accepts(_ value: SettingValue) -> Bool {
        switch (kind, value) {
        case (.integer(let range), .integer(let number)): range.contains(number)
        case (.boolean, .boolean): true
        default: false
        }
    }
}

/// The value of a setting.
package enum SettingValue: Equatable, Sendable {
    case integer(Int)
    case boolean(Bool)
}

extension SettingValue: ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    package init(integerLiteral value: Int) { self = .integer(value) }
    package init(booleanLiteral value: Bool) { self = .boolean(value) }
}

/// The settings of one plugin in the settings file, by name. Missing ones have their defaults.
package struct SettingValues: Equatable, Sendable, ExpressibleByDictionaryLiteral {
    private var values: [String: SettingValue] = [:]

    package init() {}

    package init(dictionaryLiteral elements: (String, SettingValue)...) {
        for (name, value) in elements { values[name] = value }
    }

    /// Sets a value that the definition accepts.
    package mutating func set(_ setting: SettingDefinition, to value: SettingValue) {
        precondition(setting.accepts(value), "'\(setting.name)' can't be \(value)")
        values[setting.name] = value
    }

    package func integer(_ setting: SettingDefinition) -> Int {
        guard case .integer(let number) = values[setting.name] ?? setting.usual else {
            preconditionFailure("'\(setting.name)' is no number")
        }
        return number
    }

    package func boolean(_ setting: SettingDefinition) -> Bool {
        guard case .boolean(let value) = values[setting.name] ?? setting.usual else {
            preconditionFailure("'\(setting.name)' is not true or false")
        }
        return value
    }
}
