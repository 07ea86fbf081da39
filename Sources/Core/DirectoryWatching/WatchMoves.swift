// Which folders are to have watches, while there are too few.
//
// The folders that were found first have all watches then, and the others are polled. A polled folder in which polls
// find changes, or at which lists look, gets the watch of a folder in which nothing has happened for long and at which no
// list looks; that one is polled from then on.
//
// The hand. Whose watch is taken is found as in WSClock (Carr and Hennessy, SOSP 1981): a hand goes around the table of
// watches, and takes the first that has not been used for a time, rather than the least recently used of all. An event
// costs a store of the time, in whole seconds; nothing is kept in order. The hand goes a bounded number of steps at a
// time, and once around at most in a round; the next one begins where the last one has ended.
//
// No thrashing. A watch is taken only after it was there without an event for `rest`; so where all watched folders are
// used, none is taken, however much is polled. A folder that has lost its watch is not given another's for as long. Both
// are the same stamp of a folder, that of its last event, gain or loss. A round moves a few watches, and begins a while
// after the last one.
//
// Invariants: each folder that wants a watch is in the list once; there are at most `limit`.

import EventLoops

/// The folders that want watches, and the hand that looks for them.
struct WatchMoves {
    private let limit: Int
    private let rest: UInt32
    private let pause: Duration
    private let movesOfRound: Int
    private let stepsOfRound: Int

    /// Folders without watches in which polls have found changes, or at which lists look, in this order.
    private(set) var wanting: [WatchedFolder] = []
    private var known: Set<ObjectIdentifier> = []
    /// At these lists look.
    private var viewed: Set<ObjectIdentifier> = []

    private var hand = 0
    /// When the last round began.
    private var began: MonotonicInstant?
    private var movesLeft = 0
    private var stepsLeft = 0
    /// The folders that the hand has not met in this round.
    private var foldersLeft = 0

    init(_ limits: WatchLimits) {
        limit = limits.foldersWanting
        rest = Self.seconds(limits.watchRest)
        pause = limits.pollIntervals.lowerBound
        movesOfRound = limits.watchesMoved
        stepsOfRound = limits.watchesPassed
    }

    /// Whole seconds, and one for a part of one.
    private static func seconds(_ span: Duration) -> UInt32 {
        let (whole, part) = span.components
        return UInt32(clamping: whole + (part > 0 ? 1 : 0))
    }

    /// The time as it is kept in folders, which have room for 4 bytes: seconds of the loop's clock, never 0. A clock
    /// that goes on for 136 years comes to its end, and stays there.
    static func stamp(_ now: MonotonicInstant) -> UInt32 {
        max(1, UInt32(clamping: now.nanoseconds / 1_000_000_000))
    }

    /// Whether a folder has had no event, and has neither got nor lost a watch, for long; as whole seconds are counted,
    /// for up to one more.
    private func isRested(_ folder: WatchedFolder, at stamp: UInt32) -> Bool {
        folder.watchStamp == 0 || stamp > folder.watchStamp && stamp - folder.watchStamp > rest
    }

    // MARK: Who wants one

    /// Adds a polled folder, unless there are too many.
    /// - Complexity: O(1).
    mutating func want(_ folder: WatchedFolder) {
        if wanting.count < limit, known.insert(ObjectIdentifier(folder)).inserted {
            wanting.append(folder)
        }
    }

    /// Drops a folder that is not polled any more.
    /// - Complexity: O(limit) if it is there.
    mutating func drop(_ folder: WatchedFolder) {
        if known.isEmpty || known.remove(ObjectIdentifier(folder)) == nil { return }
        wanting.removeAll { $0 === folder }
    }

    // MARK: Rounds

    /// Whether watches may be moved now.
    var isRoundOpen: Bool { !wanting.isEmpty && movesLeft > 0 && stepsLeft > 0 && foldersLeft > 0 }

    /// Whether a round may begin: the last one has ended, and began a while ago.
    func mayBegin(_ now: MonotonicInstant) -> Bool {
        if isRoundOpen { return false }
        guard let began else { return true }
        return began.duration(to: now) >= pause
    }

    /// Begins a round.
    /// - Parameters:
    ///   - viewed: folders at which lists look. Those of them that are polled are the first to get watches.
    ///   - count: the number of watches. The hand goes around once.
    ///   - now: the time.
    ///   - isShort: whether a folder is polled for lack of a watch.
    mutating func begin(
        viewed: [WatchedFolder], among count: Int, _ now: MonotonicInstant,
        _ isShort: (WatchedFolder) -> Bool
    ) {
        let changed = wanting
        let stamp = Self.stamp(now)
        endRound()
        for folder in viewed + changed where isShort(folder) && isRested(folder, at: stamp) {
            want(folder)
        }
        began = now
        if wanting.isEmpty { return }
        self.viewed = Set(viewed.map { ObjectIdentifier($0) })
        movesLeft = movesOfRound
        stepsLeft = stepsOfRound
        foldersLeft = count
    }

    /// Takes the next folder that is to get a watch.
    mutating func takeNext() -> WatchedFolder? {
        if wanting.isEmpty || movesLeft == 0 { return nil }
        movesLeft -= 1
        let folder = wanting.removeFirst()
        known.remove(ObjectIdentifier(folder))
        return folder
    }

    /// Ends the round. Who got nothing wants a watch again when a poll finds another change.
    mutating func endRound() {
        movesLeft = 0
        wanting = []
        known = []
        viewed = []
    }

    /// Moves the hand to the next folder whose watch may be taken.
    /// - Parameters:
    ///   - steps: those that are left of this turn. Each folder at which the hand comes by is one, and `mayLoseWatch`
    ///     takes others for what it looks at.
    ///   - watches: all that are there.
    ///   - stamp: the time.
    ///   - mayLoseWatch: whether the watch of a rested folder may be taken at which no list looks.
    /// - Returns: `nil` if the turn or the round has no steps left, or the hand has been all around.
    /// - Complexity: O(steps).
    mutating func nextQuiet(
        _ steps: inout Int, in watches: WatchTable, at stamp: UInt32,
        _ mayLoseWatch: (WatchedFolder, inout Int) -> Bool
    ) -> WatchedFolder? {
        let first = steps
        foldersLeft = min(foldersLeft, watches.count)
        defer { stepsLeft = max(0, stepsLeft - (first - steps)) }
        while steps > 0, stepsLeft > first - steps, foldersLeft > 0 {
            steps -= 1
            foldersLeft -= 1
            if hand >= watches.count { hand = 0 }
            let folder = watches.folder(at: hand)
            hand += 1
            if isRested(folder, at: stamp), !viewed.contains(ObjectIdentifier(folder)),
                mayLoseWatch(folder, &steps)
            {
                return folder
            }
        }
        return nil
    }

    /// In debug builds, traps if a folder is there twice, or too many are.
    func checkInvariants() {
        #if DEBUG
        precondition(wanting.count <= limit, "too many folders want watches")
        precondition(
            known.count == wanting.count
                && wanting.allSatisfy { known.contains(ObjectIdentifier($0)) },
            "a folder wants two watches")
        #endif
    }
}
