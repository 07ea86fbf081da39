internal import SystemInterface

/// Where settings come from: the command line, the environment, and a file, which may change
/// while the daemon runs.
struct SettingsSources {
    /// Why the daemon can't start with what it was told.
    struct StartError: Error, CustomStringConvertible {
        let description: String
    }

    let invocation: Invocation
    /// The folders of the command line, absolute.
    private let folders: [String]
    private let home: String?
    private let configHome: String?
    private let configFile: String?
    private let stateFolder: String?

    init(_ invocation: Invocation) throws {
        self.invocation = invocation
        let home = CurrentProcess.environment("HOME")
        self.home = home
        let current = CurrentProcess.currentFolder
        folders = try invocation.folders.map { folder in
            do throws(FolderError) {
                return try absoluteFolder(folder, home: home, current: current)
            } catch {
                throw StartError(description: error.reason)
            }
        }
        let configHome = Self.folder("XDG_CONFIG_HOME", or: home.map { $0 + "/.config" })
        self.configHome = configHome
        configFile = invocation.config ?? configHome.map { $0 + "/pickerd/config.toml" }
        stateFolder = try Self.stateFolder(invocation.state, home: home, current: current)
    }

    /// Where what outlives the daemon is kept: the folder of the command line, else the one that the
    /// service manager made, else one in the user's folder for such things.
    private static func stateFolder(
        _ given: String?, home: String?, current: String?
    ) throws(StartError) -> String? {
        if let given {
            do throws(FolderError) {
                return try absoluteFolder(given, home: home, current: current)
            } catch {
                throw StartError(description: "--state \(error.reason)")
            }
        }
        // Of several, which are separated by colons, the first is the one to use.
        if let made = folder("STATE_DIRECTORY", or: nil)?.split(separator: ":").first {
            return String(made)
        }
        return folder("XDG_STATE_HOME", or: home.map { $0 + "/.local/state" }).map {
            $0 + "/pickerd"
        }
    }

    /// The settings as they are now. A missing settings file is no error, unless it was asked for.
    func read() throws -> Settings {
        let file = try readFile()
        var settings = Settings(roots: try roots(file))
        settings.logLevel = invocation.logLevel ?? file.logLevel ?? settings.logLevel
        settings.clients = file.clients ?? settings.clients
        settings.queueSoft = file.queueSoft ?? settings.queueSoft
        settings.queueHard = file.queueHard ?? settings.queueHard
        settings.replayCount = file.replayCount ?? settings.replayCount
        settings.replayBytes = file.replayBytes ?? settings.replayBytes
        settings.storesEvents = file.storesEvents ?? settings.storesEvents
        settings.stateFolder = stateFolder
        return settings
    }

    /// Where to listen.
    func socketPath() throws(StartError) -> String {
        if let path = invocation.socket { return path }
        if let path = CurrentProcess.environment("PICKERD_SOCKET"), !path.isEmpty { return path }
        if let folder = Self.folder("XDG_RUNTIME_DIR", or: nil) {
            return folder + "/pickerd/pickerd.sock"
        }
        throw StartError(
            description: "there is no place for the socket: set XDG_RUNTIME_DIR or PICKERD_SOCKET, "
                + "or give --socket PATH")
    }

    private func readFile() throws -> SettingsFile {
        guard let configFile else { return SettingsFile() }
        let text: String
        do throws(SystemError) {
            text = try readTextFile(configFile)
        } catch {
            if error.code == .noSuchFile, invocation.config == nil { return SettingsFile() }
            throw SettingsError(file: configFile, line: nil, reason: "\(error)")
        }
        return try SettingsFile(parsing: text, file: configFile, home: home)
    }

    private func roots(_ file: SettingsFile) throws(StartError) -> [String] {
        if !folders.isEmpty { return folders }
        if let roots = file.roots { return roots }
        guard let home, let configHome else {
            throw StartError(
                description: "there is no folder to serve: HOME is not set; name one, "
                    + "as in 'pickerd FOLDER'")
        }
        return [documentsFolder(home: home, configHome: configHome)]
    }

    /// A folder that the environment names; one that is not absolute doesn't count.
    private static func folder(_ variable: String, or other: String?) -> String? {
        guard let value = CurrentProcess.environment(variable), value.hasPrefix("/") else {
            return other
        }
        return value
    }
}
