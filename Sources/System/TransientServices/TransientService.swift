// A service to be started, which exists only as long as it runs.

/// The description of a service.
package struct TransientService: Hashable, Sendable {
    /// The most arguments and variables together.
    package static let mostStrings = 1024
    /// The most bytes of all arguments and variables.
    package static let mostBytes = 131_072
    /// The slice of all services: a part of `app.slice`.
    package static let slice = "app-pickerd.slice"
    /// The time between the request to stop and the kill, in microseconds.
    static let stopLimit: UInt64 = 2_000_000

    /// The unit's name, which no other unit may have: see `name(plugin:number:)`.
    package var name: String
    /// One line for people.
    package var description: String
    /// The program's absolute path, and its arguments. Passed on as they are: nothing in them is expanded.
    package var arguments: [String]
    /// The absolute path of the folder that it starts in.
    package var folder: String
    /// All variables of its environment.
    package var environment: [String: String]
    /// The unit that it ends with: that of this process, from `UserServiceManager.identify`. While that unit is still
    /// starting, the service waits for it.
    package var boundUnit: String?
    /// The most memory of all its processes together, in bytes. It is killed when it needs more.
    package var memoryBytes: UInt64
    /// The most processes and threads.
    package var tasks: UInt64
    package var sandbox: Sandbox
    /// The name in the journal of what the manager says about it.
    package var logIdentifier: String

    package init(
        name: String, description: String, arguments: [String], folder: String,
        environment: [String: String] = [:], boundUnit: String? = nil,
        memoryBytes: UInt64 = 256 << 20, tasks: UInt64 = 16, sandbox: Sandbox = Sandbox(),
        logIdentifier: String
    ) {
        self.name = name
        self.description = description
        self.arguments = arguments
        self.folder = folder
        self.environment = environment
        self.boundUnit = boundUnit
        self.memoryBytes = memoryBytes
        self.tasks = tasks
        self.sandbox = sandbox
        self.logIdentifier = logIdentifier
    }

    /// The name of the unit of a plugin's process; `number` differs from process to process.
    package static func name(plugin: String, number: Int) -> String {
        "pickerd-plugin-\(plugin)-\(number).service"
    }
}
