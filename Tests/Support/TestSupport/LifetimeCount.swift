// Counting what lives, to find what is kept too long.

/// Counts tokens that are alive. Capture a token where the question is whether the capture is let
/// go of.
package final class LifetimeCount {
    package fileprivate(set) var alive = 0

    package init() {}

    package func token() -> LifetimeToken { LifetimeToken(self) }
}

/// Counted for as long as it lives.
package final class LifetimeToken {
    private let count: LifetimeCount

    fileprivate init(_ count: LifetimeCount) {
        self.count = count
        count.alive += 1
    }

    /// Mentions the token in a closure, so that it is captured.
    package func touch() {}

    deinit { count.alive -= 1 }
}
