package import PickerModel

/// What one plugin is told: the folders that the daemon serves, its own settings, and where it may keep
/// things.
package struct PluginSettings: Equatable {
    /// The folders whose documents are served, absolute. Their names need not be UTF-8.
    package var roots: [FileName]
    /// The plugin's own, from its section of the settings file.
    package var values: SettingValues
    /// The plugin's own folder for what outlives the daemon, if it keeps anything; nil if there is no place
    /// for it. It need not exist.
    package var stateFolder: String?

    package init(
        roots: [String] = [], _ values: SettingValues = [:], stateFolder: String? = nil
    ) {
        self.roots = roots.map { FileName($0) }
        self.values = values
        self.stateFolder = stateFolder
    }
}

/// What the daemon's settings say to all plugins.
package struct HostSettings: Equatable {
    /// The folders whose documents are served, absolute.
    package var roots: [FileName]
    /// By the identifiers of plugins.
    package var values: [String: SettingValues]
    /// Where what outlives the daemon is kept; nil if there is no place for it.
    package var stateFolder: String?

    package init(
        roots: [FileName], values: [String: SettingValues] = [:], stateFolder: String? = nil
    ) {
        self.roots = roots
        self.values = values
        self.stateFolder = stateFolder
    }

    /// The part that is for one plugin.
    package func settings(for plugin: PluginManifest) -> PluginSettings {
        var settings = PluginSettings(values[plugin.identifier] ?? [:])
        settings.roots = roots
        if plugin.keepsState {
            settings.stateFolder = stateFolder.map { $0 + "/" + plugin.identifier }
        }
        return settings
    }

    /// Whether a plugin is to be on.
    package func isEnabled(_ plugin: PluginManifest) -> Bool {
        plugin.isRequired || (values[plugin.identifier] ?? [:]).boolean(.enabled)
    }
}
