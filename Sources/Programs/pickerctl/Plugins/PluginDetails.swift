import PickerClient
import TerminalCells
import WireProtocol

/// All that is known about one plugin.
struct PluginDetails {
    private let plugin: DaemonPlugin

    /// - Throws: an error that names the plugins, if there is none of that name.
    init(of id: String, among plugins: [DaemonPlugin]) throws {
        guard let plugin = plugins.first(where: { $0.id == id }) else {
            let known = plugins.map(\.id)
            let hint = NearestWord.hint(for: id, among: known)
            throw CommandError(
                "there is no plugin '\(VisibleText.escaping(id))'"
                    + "\(hint.isEmpty ? ":" : hint) there are \(known.joined(separator: ", "))")
        }
        self.plugin = plugin
    }

    func lines(_ palette: Palette) -> [String] {
        var table = Table([Table.Column(paint: palette.green), Table.Column()])
        func add(_ name: String, _ value: String?) {
            guard let value, !value.isEmpty else { return }
            table.add([name, VisibleText.escaping(value)])
        }
        add("id", plugin.id)
        add("summary", plugin.summary)
        add("kind", plugin.kind)
        add("version", plugin.version)
        add("state", plugin.state)
        add("reason", plugin.reason)
        add("restarts", plugin.restarts == 0 ? nil : "\(plugin.restarts)")
        add("runs as", plugin.process)
        add("sandbox", plugin.sandbox)
        add("background", plugin.isReadInBackground ? "true" : nil)
        add("folder", plugin.folder)
        for folder in plugin.shadowed { add("shadowed", folder) }
        for (kind, names) in plugin.contributions {
            add(kind, names.joined(separator: " "))
        }
        for setting in plugin.settings {
            add("setting", "\(setting.name) = \(setting.value)")
        }
        return table.lines()
    }
}
