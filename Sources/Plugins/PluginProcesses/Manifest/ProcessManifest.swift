package import JSONText

/// What a plugin says about itself in its `plugin.json`: what it contributes, what it needs, how it is started.
///
/// Names in it are well-formed, and no list has one twice. Limits: 64 KiB of text, 64 methods, topics, attributes and
/// actions, 16 sources. `where` expressions have the right form, operators and operands; what an attribute is compared with is not checked.
package struct ProcessManifest: Equatable, Sendable {
    /// `[a-z][a-z0-9-]{0,31}`, none of the daemon's own words.
    package let id: String
    /// For people.
    package let name: String
    package let version: String
    /// The versions of the interface that it speaks.
    package let api: ClosedRange<Int>
    /// The program and its arguments. The program is a path in the plugin's folder ("./x") or an absolute one.
    package let exec: [String]
    /// Absolute paths of files without which it does not run.
    package let requiredFiles: [String]
    package let methods: [Method]
    /// Topics of its events: `<id>.…`.
    package let topics: [String]
    package let attributes: [Attribute]
    package let sources: [Source]
    package let actions: [Action]
    package let needs: Needs
    package let limits: Limits
    package let keep: Keep
    /// Of its settings.
    package let config: CheckedSchema?

    /// Whether it speaks this version of the interface.
    package func isCompatible(with version: Int) -> Bool { api.contains(version) }
}

extension ProcessManifest {
    /// A method that clients may call.
    package struct Method: Equatable, Sendable {
        /// `<id>.…`.
        package let name: String
        package let summary: String?
        /// Of its parameters, which are an object; any will do unless the manifest has one.
        package let params: CheckedSchema
        package let result: CheckedSchema
    }

    /// A property of documents that it finds out.
    package struct Attribute: Equatable, Sendable {
        /// Lowercase words with dots between, two or more: no field of an item has a dot.
        package let name: String
        package let type: AttributeType
        /// The documents that may have it: a `where` expression over name, type, size and path. Nil for all.
        package let documents: JSONValue?
        /// Attributes of one group come from one reading of the file.
        package let group: String

        package static let usualGroup = "default"
    }

    package enum AttributeType: String, CaseIterable, Sendable {
        case boolean, integer, number, time, text
    }

    /// A collection of items of its own.
    package struct Source: Equatable, Sendable {
        package let name: String
        package let title: String
    }

    /// Something to do with items.
    package struct Action: Equatable, Sendable {
        package let id: String
        package let title: String
        /// The items that it is offered for: a `where` expression. Nil for all.
        package let items: JSONValue?
        /// Whether it takes several items at once.
        package let takesMany: Bool
        /// Whether it changes files, and so needs a confirmation.
        package let writes: Bool
    }

    /// What its sandbox has to allow.
    package struct Needs: Equatable, Sendable {
        package let network: Bool
        /// Absolute paths below which it writes, paths such as "cache/x" in the folder of the user's caches, or "roots".
        package let write: [String]
        package let read: Reading
        /// Whether it makes code at run time.
        package let jit: Bool
    }

    /// The files that it reads, beside its own and those of the system. It is said for people: no others are kept from
    /// it.
    package enum Reading: String, CaseIterable, Sendable {
        case none, roots, home
    }

    /// What it may use.
    package struct Limits: Equatable, Sendable {
        package let memoryMiB: Int
        package let tasks: Int
        /// The time for one call.
        package let callMs: Int
        /// Calls under way at once.
        package let parallel: Int

        package static let usual = Limits(memoryMiB: 256, tasks: 16, callMs: 2000, parallel: 1)
        package static let memoryRange = 16...65_536
        package static let tasksRange = 1...1024
        package static let callRange = 10...600_000
        package static let parallelRange = 1...64
    }

    /// When it runs.
    package enum Keep: String, CaseIterable, Sendable {
        /// From when it is first needed until it has not been for a while.
        case demand
        case always
    }
}
