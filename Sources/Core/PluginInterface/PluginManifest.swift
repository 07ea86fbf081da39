package import WireProtocol

/// What a plugin says of itself, before it does anything: all that the daemon, its settings file and its
/// schema have to know of it.
///
/// A plugin registers the methods, and contributes the members of `daemon.info`, that are named here and no
/// others; anything else is a programming error, which stops a debug build.
package struct PluginManifest: Sendable {
    /// A short stable name, one lowercase word: `items`. Its settings are in `[plugins.items]`, and what it
    /// keeps is in `STATE/items`.
    package let identifier: String
    /// One sentence.
    package let summary: String
    package let methods: [MethodDefinition]
    /// First words of topics that clients may not publish under.
    package let reservedWords: [String]
    package let settings: [SettingDefinition]
    /// What it adds to the answer of `daemon.info`. It may be left out there while the plugin is off.
    package let info: [Schema.Member]
    /// Whether it has a folder of state. Such a plugin goes on keeping what is in there while it is off.
    package let keepsState: Bool
    /// Whether the daemon is nothing without it, so that it can't be switched off.
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

    /// Its settings, and that by which every plugin that is not required can be switched off.
    package var allSettings: [SettingDefinition] {
        (isRequired ? [] : [.enabled]) + settings
    }
}
