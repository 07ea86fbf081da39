package import JSONText

/// What is set for plugins that are processes: where they are, which of them are on, and what they get.
package struct ProcessSettings: Equatable {
    /// A folder that has a folder for each plugin.
    package struct Place: Equatable, Sendable {
        package var path: String
        /// Whether its plugins are on unless they are switched off: they came with the daemon.
        package var isShipped: Bool
        /// Who may own them, beside the user and root; nil for nobody.
        package var owner: UInt32?

        package init(path: String, isShipped: Bool = false, owner: UInt32? = nil) {
            self.path = path
            self.isShipped = isShipped
            self.owner = owner
        }
    }

    /// What the user has chosen for one plugin.
    package struct Choice: Equatable {
        /// Whether it is on; nil for the usual.
        package var isEnabled: Bool?
        /// The object of its own settings.
        package var config: JSONFragment?
        /// Whether documents are read for its attributes although nobody asks for them.
        package var worksInBackground = false

        package init() {}
    }

    /// In the order in which a plugin is looked for: of plugins of one identifier the first counts.
    package var places: [Place] = []
    /// By the identifier of the plugin.
    package var choices: [String: Choice] = [:]
    /// The file that has them; nil if there is no place for it. It need not exist.
    package var choicesFile: String?
    /// The variables that a process gets, besides those that say which plugin it is.
    package var environment: [String: String] = [:]
    /// The folder in which the user's service manager listens; nil for none.
    package var runtimeFolder: String?
    /// The user's language and region, as programs are told it: `de_DE.UTF-8`.
    package var locale = "C"
    /// The version of the daemon.
    package var daemonVersion = "0"

    package init() {}
}
