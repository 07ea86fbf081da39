/// A program that a plugin runs, for ``PluginDaemon/run(_:on:)``.
public struct Tool {
    /// The path of its file; PATH is not searched.
    public var program: String
    /// The arguments after its name. ``file`` stands for the file that it reads.
    public var arguments: [String]
    /// Its complete environment.
    public var environment: [String: String]
    /// How long it may run; then it is killed, with all that it started in its process group.
    public var limit: Duration
    /// The most bytes of its output; with more it is killed.
    public var mostOutput: Int

    /// The path of the file that a program is run on: it is open there, as descriptor 3.
    public static let file = "/proc/self/fd/3"

    /// A program with arguments.
    public init(
        _ program: String, _ arguments: [String] = [], environment: [String: String] = [:],
        limit: Duration = .seconds(10), mostOutput: Int = 1 << 20
    ) {
        self.program = program
        self.arguments = arguments
        self.environment = environment
        self.limit = limit
        self.mostOutput = mostOutput
    }

    /// How a program ended, and what it printed.
    public struct Outcome {
        /// Its exit status, or minus the signal that ended it.
        public let status: Int32
        /// What it wrote to its standard output.
        public let output: [UInt8]
    }
}
