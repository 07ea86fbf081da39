import Glibc
import PluginProcesses
import SystemInterface
import TestSupport

/// A place for plugins, with plugins of the tests in it.
struct PluginFolder {
    let folder: TemporaryFolder
    /// Its path in the temporary folder.
    let place: String

    init(_ folder: TemporaryFolder, _ place: String = "plugins") throws {
        self.folder = folder
        self.place = place
        try folder.makeFolder(place)
        setMode("", 0o755)
    }

    func path(_ name: String) -> String { name.isEmpty ? place : "\(place)/\(name)" }

    /// Adds a plugin whose program is "./run".
    func add(_ id: String, _ manifest: String? = nil) throws {
        try folder.makeFolder(path(id))
        setMode(id, 0o755)
        try write("\(id)/plugin.json", manifest ?? Self.manifest(id))
        try write("\(id)/run", "#!/bin/sh\n", mode: 0o755)
    }

    static func manifest(_ id: String, exec: String = "./run", _ more: String = "") -> String {
        """
        {"id": "\(id)", "name": "A test", "version": "1", "api": {"min": 1, "max": 1},
         "exec": ["\(exec)"]\(more)}
        """
    }

    func write(_ name: String, _ text: String, mode: UInt32 = 0o644) throws {
        try folder.write(path(name), text)
        setMode(name, mode)
    }

    func setMode(_ name: String, _ mode: UInt32) {
        // The path is a C string for the length of the call.
        let result = unsafe chmod(folder.path(path(name)), mode)
        precondition(result == 0, "cannot set the mode")
    }

    func scan(
        reserved: Set<String> = [], user: UInt32 = CurrentProcess.uid,
        owners: [RawPath: UInt32] = [:]
    ) -> PluginFolders.Listing {
        PluginFolders(
            places: [folder.rawPath(place)], reserved: reserved, user: user, owners: owners
        ).scan()
    }

    /// The only plugin.
    func only(reserved: Set<String> = []) -> FoundPlugin? {
        let plugins = scan(reserved: reserved).plugins
        return plugins.count == 1 ? plugins[0] : nil
    }
}

extension FoundPlugin {
    var manifest: ProcessManifest? {
        if case .usable(let manifest) = state { manifest } else { nil }
    }

    /// Why it is missing.
    var reason: String {
        switch state {
        case .usable: "usable"
        case .missing(let reason): reason
        case .incompatible(let reason): "incompatible: \(reason)"
        }
    }
}
