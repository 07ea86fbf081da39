import PluginProcesses
import SystemInterface

/// The folder of a plugin that an argument names.
enum PluginFolderArgument {
    /// Looks at the folder as the daemon does.
    /// - Throws: if there is none.
    static func look(_ argument: String) throws(SystemError) -> FoundPlugin {
        guard let path = RawPath(bytes: RawArguments.bytes(of: argument)) else {
            throw SystemError(.invalidArgument, operation: "use", subject: argument)
        }
        let folder = try path.resolved()
        let folders = PluginFolders(places: [], reserved: OwnWords.all)
        return folders.look(at: folder)
    }
}
