package import WireProtocol

/// A plugin's description of itself, before it does anything: all that the daemon, its settings file and its
/// schema need.
///
/// A plugin registers only methods, and contributes only members of `daemon.info`, that are named here; any
/// other is a programming error, which stops a debug build.
package struct PluginManifest: Sendable {
    /// A short stable name, one lowercase word: `items`. Its settings are in `[plugins.items]`, its state in
    /// `STATE/items`.
    package let identifier: String
    /// One sentence.
    package let summary: String
    package let methods: [MethodDefinition]
    /// First words of topics that clients may not publish under.
    package let reservedWords: [String]
    package let settings: [SettingDefinition]
    /// The members it adds to the result of `daemon.info`. They may be missing while the plugin is off.
    package let info: [Schema.Member]
    /// Whether it has a state folder. Such a plugin keeps that state up to date while it is off.
    package let keepsState: Bool
    /// Whether the daemon is useless without it, so that it can't be switched off.
    package let isRequired: Bool

    package init(
        _ identifier: String, _ summary: String, methods: [MethodDefinition],
        reservedWords: [String] = [], settings: [SettingDefinition] = [],
        info: [Schema.Member] = [], keepsState: Bool = false, isRequired: Bool = false
    ) {
        precondition(
            info.allSatisfy { !$0.isRequired }, "'\(identifier)' may be off: its info is optional")
        precondition(
            settings.allSatisfy { $0.name != SettingDefinition.enabled.name },
            "'\(identifier)' defines 'enabled', a setting that every plugin has")
        self.identifier = identifier
        self.summary = summary
        self.methods = methods
        self.reservedWords = reservedWords
        self.settings = settings
        self.info = info
        self.keepsState = keepsState
        self.isRequired = isRequired
    }

    /// Its settings, including `enabled` unless it is required.
    package var allSettings: [SettingDefinition] {
        (isRequired ? [] : [.enabled]) + settings
    }
}
