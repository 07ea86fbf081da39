/// Work done in slices, so that nothing waits for all of it.
package protocol SlicedWork: AnyObject {
    /// The steps taken so far: about one per comparison.
    var stepsTaken: Int { get }

    /// Continues for `budget` steps, or a little more.
    /// - Returns: whether the work is complete.
    func advance(budget: Int) -> Bool

    /// Whether the last slice did nothing, because the work waits for something else: others go first.
    var isWaiting: Bool { get }

    /// Whether it will wait for a while, so that it need not be asked again at once.
    var isPatient: Bool { get }

    /// Whether its result is as good when it is taken in a later slice, as taking it may last as long as a slice.
    var mayEndLater: Bool { get }

    /// Whether the last slice has told something that is to be sent before the work goes on.
    var hasNews: Bool { get }

    /// Whether somebody waits for the rest. Other work is done while nothing is waited for.
    var isAwaited: Bool { get }
}

extension SlicedWork {
    package var isWaiting: Bool { false }
    package var isPatient: Bool { false }
    package var mayEndLater: Bool { false }
    package var hasNews: Bool { false }
    package var isAwaited: Bool { true }
}
