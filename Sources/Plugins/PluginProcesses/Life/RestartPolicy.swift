package import EventLoops

/// When a plugin that fell is started again.
///
/// The first time after half a second, each further time after twice as long, up to a minute, a fifth more or less, so
/// that plugins that fell together don't start together. A minute in which it was ready makes the next fall a first one.
/// After five falls within five minutes it is not started any more.
package struct RestartPolicy: Equatable, Sendable {
    package static let shortest = Duration.milliseconds(500)
    package static let longest = Duration.seconds(60)
    /// The part by which a delay may be longer or shorter.
    package static let spread = 0.2
    /// The time as ready that makes earlier falls count no more for the delay.
    package static let forgotten = Duration.seconds(60)
    package static let mostFalls = 5
    package static let fallsCount = Duration.seconds(300)

    private var attempts = 0
    /// The latest falls, the oldest first; `mostFalls` at most.
    private var falls: [MonotonicInstant] = []

    package init() {}

    /// Counts a fall.
    ///
    /// - Parameters:
    ///   - now: The time of the fall.
    ///   - ready: How long it had been ready; nil if it never was.
    ///   - chance: A random number from -1 to 1.
    ///   - counts: Whether it is one of the falls after which there is no further start.
    /// - Returns: The time until the next start; nil if there shall be none.
    package mutating func delay(
        afterFallAt now: MonotonicInstant, ready: Duration?, chance: Double, counts: Bool = true
    ) -> Duration? {
        precondition((-1...1).contains(chance), "a chance is from -1 to 1")
        if let ready, ready >= Self.forgotten { attempts = 0 }
        falls.removeAll { $0.duration(to: now) > Self.fallsCount }
        if counts { falls.append(now) }
        if falls.count >= Self.mostFalls {
            falls.removeAll()
            attempts = 0
            return nil
        }
        // A shift of more than this is beyond the longest delay anyway.
        let doubled = Self.shortest * (1 << min(attempts, 16))
        attempts += 1
        return min(doubled, Self.longest) * (1 + Self.spread * chance)
    }

    /// Forgets all falls, because the plugin is another one now, or somebody asked for it.
    package mutating func forget() { self = RestartPolicy() }
}
