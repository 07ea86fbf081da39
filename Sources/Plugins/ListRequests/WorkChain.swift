package import PickerModel

/// Runs several pieces of work one after another.
package final class WorkChain: SlicedWork {
    package private(set) var stepsTaken = 0
    private let pieces: [any SlicedWork]
    private var next = 0

    package init(_ pieces: [any SlicedWork]) { self.pieces = pieces }

    /// Not once a piece that has been done says that nobody waits for those after it.
    package var isAwaited: Bool { pieces[..<next].allSatisfy(\.isAwaited) }

    package func advance(budget: Int) -> Bool {
        var left = budget
        while next < pieces.count, left > 0 {
            let before = pieces[next].stepsTaken
            let isDone = pieces[next].advance(budget: left)
            let steps = pieces[next].stepsTaken - before
            stepsTaken += steps
            left -= max(1, steps)
            if isDone { next += 1 } else if pieces[next].isWaiting { break }
        }
        return next == pieces.count
    }

    package var isWaiting: Bool { next < pieces.count && pieces[next].isWaiting }
    package var isPatient: Bool { next < pieces.count && pieces[next].isPatient }
}
