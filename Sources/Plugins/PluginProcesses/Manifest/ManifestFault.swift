/// What is wrong with a manifest, and where.
package struct ManifestFault: Error, Hashable, Sendable {
    /// The line of the file, from 1 on.
    package let line: Int
    /// Names the member, its value, and what would be right.
    package let message: String
    /// The versions of the interface that the manifest names, if they were read before the fault. Where the daemon
    /// speaks none of them, the rest may be right by rules that it does not know.
    package internal(set) var api: ClosedRange<Int>?
}

extension ManifestFault: CustomStringConvertible {
    /// "line 7: 'limits.tasks' must be …".
    package var description: String { "line \(line): \(message)" }
}
