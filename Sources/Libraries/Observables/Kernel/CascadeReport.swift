/// A report of a cycle: sinks that keep causing each other, or an observable that would depend on
/// itself.
public struct CascadeReport: Error, CustomStringConvertible, Sendable {
    /// The kind of a cycle.
    public enum Kind: Sendable {
        /// Observers that write to observables.
        case observers
        /// Sinks of a signal that send to it.
        case signal
        /// An observable that chose an input computed from itself.
        case dependencies
    }

    /// The kind of the cycle.
    public let kind: Kind
    /// The limit that was exceeded; 0 for dependencies, where no cycle is allowed.
    public let limit: Int
    /// The number of queued writes or sends that were dropped; for dependencies, the number of refused
    /// inputs.
    public let dropped: Int

    /// What happened and what to do about it.
    public var description: String {
        let what: String
        switch kind {
        case .observers: what = "Observers caused each other's transactions"
        case .signal: what = "The sinks of a signal caused each other's sends"
        case .dependencies:
            return """
                An observable chose an input that is computed from itself; \(dropped) such inputs \
                were refused, and the previous ones were kept. Look for a flatMap, unpacked or \
                per-element operator whose inner observable uses the operator's own result.
                """
        }
        return """
            \(what) more than \(limit) times in a row, or too many at once; \(dropped) queued ones \
            were dropped. Look for sinks that write what they observe without coming to rest.
            """
    }
}
