/// The cause of a queued transaction: the observer that wrote it, and the cause for which that observer
/// was called.
final class WriteCause {
    private let observer: Int?
    private let previous: WriteCause?
    /// The number of observers in the chain of causes.
    let depth: Int
    /// Whether an observer in the chain was called because of its own writes.
    let recurs: Bool

    /// - Parameters:
    ///   - observer: The serial number of the writing observer.
    ///   - previous: The cause of the transaction that called the observer; `nil` if the program wrote that one.
    /// - Complexity: O(*o*) for a chain of *o* observers without a cycle.
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
        // Once a cycle is found, its earlier causes are no longer needed.
        self.previous = recurs ? nil : previous
    }
}
