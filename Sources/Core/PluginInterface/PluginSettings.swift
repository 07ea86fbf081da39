package import FileRules
package import PickerModel

/// What counts as a document below each root.
package struct RootRules: Equatable {
    /// The rules of roots that have none of their own.
    package var common: DocumentRules
    /// By root, absolute.
    package var own: [FileName: DocumentRules]

    package init(_ common: DocumentRules = DocumentRules(), own: [FileName: DocumentRules] = [:]) {
        self.common = common
        self.own = own
    }

    package subscript(root: FileName) -> DocumentRules { own[root] ?? common }
}

/// The settings of one plugin: the daemon's folders, the plugin's own settings, and its state folder.
package struct PluginSettings: Equatable {
    /// The folders whose documents are served, absolute. Their names need not be UTF-8.
    package var roots: [FileName]
    /// What counts as a document below each of them.
    package var rules = RootRules()
    /// The plugin's own settings, from its section of the settings file.
    package var values: SettingValues
    /// The plugin's state folder, if it keeps state; nil if there is no place for it. It need not exist.
    package var stateFolder: String?
    /// The user's folder for caches, which other programs share; nil if there is no place for it. It need not exist.
    package var cacheFolder: String?
    /// What is set for plugins that are processes.
    package var processes = ProcessSettings()

    package init(
        roots: [String] = [], _ values: SettingValues = [:], stateFolder: String? = nil,
        cacheFolder: String? = nil
    ) {
        self.roots = roots.map { FileName($0) }
        self.values = values
        self.stateFolder = stateFolder
        self.cacheFolder = cacheFolder
    }
}

/// The settings of all plugins.
package struct HostSettings: Equatable {
    /// The folders whose documents are served, absolute.
    package var roots: [FileName]
    /// What counts as a document below each of them.
    package var rules: RootRules
    /// By plugin identifier.
    package var values: [String: SettingValues]
    /// The folder for persistent state; nil if there is no place for it.
    package var stateFolder: String?
    /// The user's folder for caches; nil if there is no place for it.
    package var cacheFolder: String?
    /// What is set for plugins that are processes.
    package var processes: ProcessSettings

    package init(
        roots: [FileName], rules: RootRules = RootRules(),
        values: [String: SettingValues] = [:], stateFolder: String? = nil,
        cacheFolder: String? = nil, processes: ProcessSettings = ProcessSettings()
    ) {
        self.roots = roots
        self.rules = rules
        self.values = values
        self.stateFolder = stateFolder
        self.cacheFolder = cacheFolder
        self.processes = processes
    }

    /// The settings of one plugin.
    package func settings(for plugin: PluginManifest) -> PluginSettings {
        var settings = PluginSettings(values[plugin.identifier] ?? [:])
        settings.roots = roots
        settings.rules = rules
        settings.cacheFolder = cacheFolder
        settings.processes = processes
        if plugin.keepsState {
            settings.stateFolder = stateFolder.map { $0 + "/" + plugin.identifier }
        }
        return settings
    }

    /// Whether the settings switch a plugin on.
    package func isEnabled(_ plugin: PluginManifest) -> Bool {
        plugin.isRequired || (values[plugin.identifier] ?? [:]).boolean(.enabled)
    }
}
