package import EventLoops

/// When a plugin that runs is started anew because its folder has changed.
///
/// The first time at once, and then not before a pause of ten seconds is over. A change within twice the pause doubles
/// it, up to five minutes: a plugin that writes into its own folder would be started for ever. A later change makes it ten
/// seconds again.
package struct UpgradePause: Equatable, Sendable {
    package static let shortest = Duration.seconds(10)
    package static let longest = Duration.seconds(300)

    private var last: MonotonicInstant?
    private var pause = Self.shortest

    package init() {}

    /// The time that a change which is seen now has to wait.
    package mutating func delay(forChangeAt now: MonotonicInstant) -> Duration {
        guard let last else { return .zero }
        let since = last.duration(to: now)
        let wait = max(pause - since, .zero)
        pause = since < pause * 2 ? min(pause * 2, Self.longest) : Self.shortest
        return wait
    }

    /// Notes that the new version was started.
    package mutating func started(at now: MonotonicInstant) { last = now }

    /// Forgets all, because somebody asked for a new start.
    package mutating func forget() { self = UpgradePause() }
}
