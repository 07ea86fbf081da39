package import JSONText

/// A plugin in the answer of `plugins.list`.
package struct PluginRecord: Hashable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        /// Compiled into the daemon.
        case builtin
        /// A program, which the daemon runs.
        case process
    }

    package enum State: String, CaseIterable, Sendable {
        case ready, disabled
        /// Compiled in, and could not be started.
        case failed
        /// On, and not needed yet.
        case waiting
        case starting
        /// It fell, and is started again after a while.
        case backoff
        /// It fell too often.
        case quarantined
        /// Its manifest, or what it speaks, is of another version than the daemon's.
        case incompatible
        /// Its files are not there, or not as they must be.
        case missing
    }

    /// What a plugin adds to the daemon, by name.
    package struct Contributions: Hashable, Sendable {
        package var methods: [String] = []
        package var topics: [String] = []
        package var attributes: [String] = []
        package var sources: [String] = []
        package var actions: [String] = []

        package init(
            methods: [String] = [], topics: [String] = [], attributes: [String] = [],
            sources: [String] = [], actions: [String] = []
        ) {
            self.methods = methods
            self.topics = topics
            self.attributes = attributes
            self.sources = sources
            self.actions = actions
        }
    }

    /// A setting in the settings file, and its value as it is in force.
    package struct Setting: Hashable, Sendable {
        package var name: String
        package var summary: String
        package var value: Value

        package enum Value: Hashable, Sendable {
            case boolean(Bool)
            case integer(Int)
        }

        package init(name: String, summary: String, value: Value) {
            self.name = name
            self.summary = summary
            self.value = value
        }
    }

    package var id: String
    package var kind: Kind
    package var version: String
    /// One sentence.
    package var summary: String
    package var state: State
    /// Why it is in this state, if that is not the usual.
    package var reason: String?
    /// How often it was started again after a fall, since the daemon started.
    package var restarts = 0
    /// Whether it can't be switched off.
    package var isRequired = false
    package var contributes = Contributions()
    package var settings: [Setting] = []
    /// The folder of a process.
    package var folder: String?
    /// What keeps a process in its bounds, while it runs: `full`, `seccomp` or `inherited`.
    package var sandbox: String?
    /// The process, while it runs as a child of the daemon; or the unit.
    package var process: Int?
    package var unit: String?
    /// Whether documents are read for its attributes although nobody asks.
    package var isReadInBackground = false
    /// The folders of other plugins of this identifier, which come later in the order of places.
    package var shadowed: [String] = []

    package init(
        id: String, kind: Kind, version: String, summary: String, state: State,
        reason: String? = nil
    ) {
        self.id = id
        self.kind = kind
        self.version = version
        self.summary = summary
        self.state = state
        self.reason = reason
    }
}

extension PluginRecord: WireWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("id", id)
            writer.member("kind", kind.rawValue)
            writer.member("version", version)
            writer.member("summary", summary)
            writer.member("state", state.rawValue)
            if let reason { writer.member("reason", reason) }
            writer.member("restarts", restarts)
            writer.member("required", isRequired)
            writer.member("methods", contributes.methods)
            writer.member(object: "contributes") { writer in
                writer.member("methods", contributes.methods)
                writer.member("topics", contributes.topics)
                writer.member("attributes", contributes.attributes)
                writer.member("sources", contributes.sources)
                writer.member("actions", contributes.actions)
            }
            writer.member(array: "settings") { writer in
                for setting in settings {
                    writer.object { writer in
                        writer.member("name", setting.name)
                        writer.member("summary", setting.summary)
                        switch setting.value {
                        case .boolean(let value): writer.member("value", value)
                        case .integer(let value): writer.member("value", value)
                        }
                    }
                }
            }
            if let folder { writer.member("folder", folder) }
            if let sandbox { writer.member("sandbox", sandbox) }
            if let process { writer.member("pid", process) }
            if let unit { writer.member("unit", unit) }
            if isReadInBackground { writer.member("background", true) }
            if !shadowed.isEmpty { writer.member("shadowed", shadowed) }
        }
    }

    /// As `write` writes it.
    package static let schema = Schema.object([
        .required("id", .string), .required("kind", .choice(among: Kind.allCases.map(\.rawValue))),
        .required("version", .string),
        .required("summary", .string, "What it is for, in one sentence"),
        .required("state", .choice(among: State.allCases.map(\.rawValue))),
        .optional("reason", .string, "Why it is in this state"),
        .required("restarts", .count, "How often it was started again after a fall"),
        .required("required", .boolean, "Whether it can't be switched off"),
        .required("methods", .array(of: .string), "Its own, on or off"),
        .required(
            "contributes",
            .object(
                ["methods", "topics", "attributes", "sources", "actions"].map {
                    .required($0, .array(of: .string))
                })),
        .required(
            "settings",
            .array(
                of: .object([
                    .required("name", .string), .required("summary", .string),
                    .required("value", .either(.boolean, .integer)),
                ])), "Those of its section in the settings file, with current values"),
        .optional("folder", .string, "Of a process: where its files are"),
        .optional(
            "sandbox", .choice("full", "seccomp", "inherited"),
            "What keeps a running process in its bounds; 'inherited' is what the daemon has"),
        .optional("pid", .count, "Of a child of the daemon"),
        .optional("unit", .string, "Of a service that runs it"),
        .optional(
            "background", .boolean,
            "True if documents are read for its attributes although nobody asks"),
        .optional(
            "shadowed", .array(of: .string),
            "Folders of others of that id, which come later in the order of places"),
    ])
}
