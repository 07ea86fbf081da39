package import SystemInterface

/// A folder in one of the places for plugins, as it was when it was looked at.
package struct FoundPlugin: Equatable, Sendable {
    /// The folder's name; bytes that are not UTF-8 are replaced.
    package let id: String
    package let folder: RawPath
    /// The index of its place.
    package let place: Int
    package let state: State
    /// Whether an earlier place has a plugin of this id, usable or not. Only that one counts.
    package internal(set) var isShadowed = false
    /// It changes with the manifest, the program, and each regular file directly in the folder: its name, identity,
    /// size, time of change, owner and permissions. Comparable within a run of the daemon only: the numbers of devices
    /// change between starts. Of a folder with over 4,096 entries, the others don't count.
    package let fingerprint: UInt64

    package enum State: Equatable, Sendable {
        case usable(ProcessManifest)
        /// It can't be started. The reason is a sentence without its full stop.
        case missing(String)
        /// It speaks no version of the interface that the daemon does.
        case incompatible(String)
    }
}

/// A place that could not be read, or not as a whole.
package struct PluginPlaceFault: Equatable, Sendable {
    /// Its index.
    package let place: Int
    package let message: String
}
