/// One start of a plugin's process: what is run, where, and within which bounds.
package struct PluginLaunch: Sendable {
    /// The identifier of the plugin.
    package var plugin: String
    /// The plugin's folder, in which the process starts. Absolute.
    package var folder: String
    /// The program and its arguments. A program that begins with `./` is in the folder.
    package var command: [String]
    /// The complete environment.
    package var environment: [String: String]
    package var limits: ProcessManifest.Limits
    package var needs: ProcessManifest.Needs
    /// The folders of the documents, which a plugin that needs it may write.
    package var roots: [String]

    package init(
        plugin: String, folder: String, command: [String],
        environment: [String: String], limits: ProcessManifest.Limits,
        needs: ProcessManifest.Needs, roots: [String]
    ) {
        precondition(!command.isEmpty, "a plugin without a program has no valid manifest")
        self.plugin = plugin
        self.folder = folder
        self.command = command
        self.environment = environment
        self.limits = limits
        self.needs = needs
        self.roots = roots
    }

    /// Whether a process of a plugin has this variable of the daemon's environment.
    package static func passesOn(_ variable: String) -> Bool {
        ["HOME", "PATH", "LANG"].contains(variable) || variable.hasPrefix("LC_")
            || variable.hasPrefix("XDG_")
    }

    /// The environment of a plugin's process, of what is passed on of the daemon's.
    package static func environment(
        of plugin: String, passedOn: [String: String]
    ) -> [String: String] {
        var environment = passedOn
        environment["PICKERD_API"] = "\(Greeting.version)"
        environment["PICKERD_PLUGIN"] = plugin
        return environment
    }

    /// The command with the program's path absolute.
    package var absoluteCommand: [String] {
        var command = command
        if command[0].hasPrefix("./") { command[0] = folder + "/" + command[0].dropFirst(2) }
        return command
    }
}

/// How a process ended.
package enum PluginEnd: Hashable, Sendable {
    case exited(Int32)
    case killed(signal: Int32)
    /// It took more memory than its limit.
    case outOfMemory
    /// It began more processes and threads than its limit, and was killed for that.
    case tooManyTasks
    /// It could not be started, and why.
    case notStarted(String)
    /// It ended, and nothing more is known.
    case unknown

    /// The word for it in events and lists: `exit:3`, `signal:11`, `oom`, `tasks`, `start: …`.
    package var reason: String {
        switch self {
        case .exited(let status): "exit:\(status)"
        case .killed(let signal): "signal:\(signal)"
        case .outOfMemory: "oom"
        case .tooManyTasks: "tasks"
        case .notStarted(let why): "start: \(why)"
        case .unknown: "ended"
        }
    }
}
