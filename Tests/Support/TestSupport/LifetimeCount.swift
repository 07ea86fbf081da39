// Counts live objects, to find those that are retained too long.

/// Counts live tokens. Capture a token in a closure to test whether the capture is released.
package final class LifetimeCount {
    package fileprivate(set) var alive = 0

    package init() {}

    package func token() -> LifetimeToken { LifetimeToken(self) }
}

/// Counted as long as it lives.
package final class LifetimeToken {
    private let count: LifetimeCount

    fileprivate init(_ count: LifetimeCount) {
        self.count = count
        count.alive += 1
    }

    /// Use it in a closure, so that the token is captured.
    package func touch() {}

    deinit { count.alive -= 1 }
}
