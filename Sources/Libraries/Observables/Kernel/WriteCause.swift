/// Why a transaction is in the queue: which observer wrote it, and what that one was called for.
final class WriteCause {
    private let observer: Int?
    private let previous: WriteCause?
    /// How many observers had to be called, each because of the one before.
    let depth: Int
    /// Whether some observer was called, in the end, because of what it had written itself.
    let recurs: Bool

    /// - Parameters:
    ///   - observer: The serial number of who writes.
    ///   - previous: What the transaction was caused by that it was called for; `nil` if the program
    ///     wrote it.
    /// - Complexity: O(*o*), *o* the number of observers that caused each other without a circle.
    init(observer: Int?, after previous: WriteCause?) {
        self.observer = observer
        depth = (previous?.depth ?? 0) + 1
        var recurs = previous?.recurs ?? false
        var cause = recurs ? nil : previous
        while let earlier = cause, !recurs {
            recurs = earlier.observer == observer
            cause = earlier.previous
        }
        self.recurs = recurs
        // A circle that has been found is all that need be known.
        self.previous = recurs ? nil : previous
    }
}
