internal import PickerModel
internal import PickerService
internal import PluginInterface
internal import SystemInterface
internal import WireProtocol

/// The sources of settings: the command line, the environment, and a file, which may change while the
/// daemon runs.
struct SettingsSources {
    let invocation: Invocation
    /// The manifests of the plugins.
    private let plugins: [PluginManifest]
    /// The folders of the command line, absolute.
    private let folders: [FileName]
    private let home: String?
    private let configHome: String?
    private let configFile: String?
    private let stateFolder: String?
    private let cacheFolder: String?
    private let choicesFile: String?
    private let places: PluginPlaces

    init(_ invocation: Invocation, for plugins: [PluginManifest]) throws(StartError) {
        self.invocation = invocation
        self.plugins = plugins
        let home = CurrentProcess.environment("HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
        self.home = home
        let current = CurrentProcess.currentFolder
        var folders: [FileName] = []
        for folder in invocation.folders {
            do throws(FolderError) {
                folders.append(try absoluteFolder(folder, home: home, current: current))
            } catch {
                throw StartError(
                    status: 2, description: "the folder \(error.reason), can't be served")
            }
        }
        if folders.count > Settings.mostRoots {
            throw StartError(
                status: 2,
                description: "\(folders.count) folders are too many: \(Settings.mostRoots) can be "
                    + "served. Name one that holds several of them")
        }
        self.folders = folders
        let configHome = Self.folder("XDG_CONFIG_HOME", or: home.map { $0 + "/.config" })
        self.configHome = configHome
        configFile = invocation.config ?? configHome.map { $0 + "/pickerd/config.toml" }
        cacheFolder = Self.folder("XDG_CACHE_HOME", or: home.map { $0 + "/.cache" })
        choicesFile = configHome.map { $0 + "/pickerd/plugins.toml" }
        places = PluginPlaces(home: home)
        stateFolder = try Self.stateFolder(invocation.state, home: home, current: current)
    }

    /// The state folder: that of the command line, else the one that the service manager created, else the
    /// one in the user's folder for state.
    private static func stateFolder(
        _ given: String?, home: String?, current: RawPath?
    ) throws(StartError) -> String? {
        if let given {
            do throws(FolderError) {
                let folder = try absoluteFolder(FileName(given), home: home, current: current)
                if folder.rawBytes != nil {
                    throw FolderError(reason: "'\(folder.text)', whose path is no UTF-8")
                }
                return folder.text
            } catch {
                throw StartError(status: 2, description: "--state names \(error.reason)")
            }
        }
        // The first of several, which are separated by colons.
        if let made = folder("STATE_DIRECTORY", or: nil)?.split(separator: ":").first {
            return String(made)
        }
        return folder("XDG_STATE_HOME", or: home.map { $0 + "/.local/state" }).map {
            $0 + "/pickerd"
        }
    }

    /// The current settings, their file, and its faults. Invalid settings are ignored; valid ones apply.
    /// A missing file is no fault unless the command line names it; then the start fails. If a faulty file
    /// has no valid `roots`, the current ones stay.
    func read(
        serving roots: [FileName]? = nil
    ) throws(StartError) -> (
        settings: Settings, faults: [SettingsError], file: SettingsFileRecord?
    ) {
        let file = try readFile()
        let choices = readChoices()
        let served: [FileName] =
            if file.faults.isEmpty || roots == nil {
                try self.roots(file)
            } else {
                file.roots?.map(\.path) ?? roots ?? []
            }
        var settings = Settings(
            plugins: HostSettings(
                roots: served, rules: file.rootRules, values: file.plugins,
                stateFolder: stateFolder, cacheFolder: cacheFolder,
                processes: processes(choices)))
        settings.logLevel = invocation.logLevel ?? file.logLevel ?? settings.logLevel
        settings.limits.clients = file.clients ?? settings.limits.clients
        settings.limits.queueSoft = file.queueSoft ?? settings.limits.queueSoft
        settings.limits.queueHard = file.queueHard ?? settings.limits.queueHard
        return (
            settings, file.faults + choices.faults,
            configFile.map { SettingsFileRecord(path: $0, isRead: file.isRead) }
        )
    }

    /// The path of the socket.
    func socketPath() throws(StartError) -> String {
        if let path = invocation.socket { return path }
        if let path = CurrentProcess.environment("PICKERD_SOCKET"), !path.isEmpty { return path }
        if let folder = Self.folder("XDG_RUNTIME_DIR", or: nil) {
            return folder + "/pickerd/pickerd.sock"
        }
        throw StartError(
            status: 1,
            description: "there is no place for the socket: set XDG_RUNTIME_DIR or PICKERD_SOCKET, "
                + "or give --socket PATH")
    }

    private func readFile() throws(StartError) -> SettingsFile {
        guard let configFile else { return SettingsFile() }
        let text: String
        do throws(SystemError) {
            text = try readTextFile(configFile)
        } catch {
            if error.code == .noSuchFile {
                if invocation.config == nil { return SettingsFile() }
                throw StartError(
                    status: 78,
                    description: "--config names '\(configFile)', and there is no such file")
            }
            return SettingsFile(
                fault: SettingsError(file: configFile, line: nil, reason: "\(error)"))
        }
        return SettingsFile(parsing: text, file: configFile, home: home, for: plugins)
    }

    private func processes(_ choices: PluginChoices) -> ProcessSettings {
        var settings = ProcessSettings()
        settings.places = places.places
        settings.choices = choices.choices
        settings.choicesFile = choicesFile
        settings.environment = places.environment
        settings.runtimeFolder = Self.folder("XDG_RUNTIME_DIR", or: nil)
        settings.locale = places.locale
        settings.daemonVersion = PickerdCommand.version
        return settings
    }

    private func readChoices() -> PluginChoices {
        guard let choicesFile else { return PluginChoices() }
        do throws(SystemError) {
            return PluginChoices(parsing: try readTextFile(choicesFile), file: choicesFile)
        } catch {
            if error.code == .noSuchFile { return PluginChoices() }
            return PluginChoices(
                fault: SettingsError(file: choicesFile, line: nil, reason: "\(error)"))
        }
    }

    private func roots(_ file: SettingsFile) throws(StartError) -> [FileName] {
        if !folders.isEmpty { return folders }
        if let roots = file.roots { return roots.map(\.path) }
        guard let home, let configHome else {
            throw StartError(
                status: 1,
                description: "there is no folder to serve: HOME is not set; name one, "
                    + "as in 'pickerd FOLDER'")
        }
        for folder in [documentsFolder(home: home, configHome: configHome), home + "/Documents"] {
            if let root = try? absoluteFolder(FileName(folder), home: home, current: nil) {
                return [root]
            }
        }
        throw StartError(
            status: 1,
            description:
                "there is no folder to serve: HOME is '\(home)', which leads nowhere; name "
                + "one, as in 'pickerd FOLDER'")
    }

    /// A folder in the environment; a path that is not absolute is ignored.
    static func folder(_ variable: String, or other: String?) -> String? {
        guard let value = CurrentProcess.environment(variable), value.hasPrefix("/") else {
            return other
        }
        return value
    }
}
