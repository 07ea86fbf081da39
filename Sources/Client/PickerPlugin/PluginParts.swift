package import PickerClient

/// What a program contributes, by name.
package struct PluginParts {
    private(set) var groups: [String: Group] = [:]
    private(set) var methods: [String: Method] = [:]
    private(set) var actions: [String: Action] = [:]
    private(set) var sources: [String: Source] = [:]
    package var begin: (PluginDaemon) throws -> Void = { _ in }
    package var configure: (RawJSON, PluginDaemon) throws -> Void = { _, _ in }
    package var end: () -> Void = {}

    /// Of several parts of a name, the last counts.
    package init(
        groups: [Group] = [], methods: [Method] = [], actions: [Action] = [],
        sources: [Source] = []
    ) {
        for group in groups { self.groups[group.name] = group }
        for method in methods { self.methods[method.name] = method }
        for action in actions { self.actions[action.name] = action }
        for source in sources { self.sources[source.name] = source }
    }

    /// - Throws: ``PluginError/Code/manifest`` if there is anything that the manifest lacks.
    package func check(against manifest: PluginManifest) throws(PluginError) {
        for name in groups.keys.sorted() {
            try manifest.require(name, in: manifest.groups.keys, what: "group of attributes")
        }
        for name in methods.keys.sorted() {
            try manifest.require(name, in: manifest.methods, what: "method")
        }
        for name in actions.keys.sorted() {
            try manifest.require(name, in: manifest.actions, what: "action")
        }
        for name in sources.keys.sorted() {
            try manifest.require(name, in: manifest.sources, what: "source")
        }
    }

    /// What `plugin.hello` is answered with.
    var provides: [String] {
        var kinds: [String] = []
        if !groups.isEmpty { kinds.append("extract") }
        if !sources.isEmpty { kinds.append("source") }
        if !actions.isEmpty { kinds.append("action") }
        return kinds
    }
}
