/// The bounds that a watcher works within, and what happens at each.
///
/// Tests lower them to reach the bounds quickly; the daemon uses the defaults.
package struct WatchLimits: Sendable {
    /// Events taken from the kernel in one turn of the loop; the rest waits for the next turn.
    package var eventsPerTurn = 2048
    /// Changes gathered before they are committed although the queue is not empty yet.
    package var changesPerTransaction = 2048
    /// The changes committed in one turn are halved down to this while commits are slow.
    package var fewestChangesPerTransaction = 128
    /// A commit that takes longer is slow.
    package var commitTime: Duration = .milliseconds(2)
    /// How long a turn may go on looking at what is marked, and reading the queue before a commit; beyond, it
    /// goes on in the next turn. What somebody waits for, as `drainNow` does, is done whole.
    package var turnTime: Duration = .milliseconds(2)
    /// Folder entries looked at in one slice of a scan: about a millisecond.
    package var entriesPerSlice = 400
    /// Folder entries that `drainNow` may scan before it returns; more goes on in slices.
    package var entriesInline = 1000
    /// Changes held until the end of a rescan; beyond, it commits in parts, and a file that was
    /// moved meanwhile may get a new key.
    package var changesPerRescan = 200_000
    /// How long a half-seen move is held back before it counts as a removal.
    package var moveHold: Duration = .milliseconds(2)
    /// How long a folder with marks that is not where the tree has it may wait for an event that says where
    /// it went, before its name is looked at.
    package var misplacedWait: Duration = .milliseconds(10)
    /// Moves held back at once; beyond, the oldest counts as a removal.
    package var heldMoves = 4096
    /// How often files that are only being written to (no close, no rename) are looked at again.
    package var writeInterval: Duration = .milliseconds(20)
    /// How often folders without a watch are read again.
    package var pollInterval: Duration = .seconds(5)
    /// How long a vanished file's key is remembered for the same inode to turn up again.
    package var keyMemory: Duration = .seconds(1)
    /// Vanished files remembered; beyond, the oldest are forgotten, and come back with a new key.
    package var keysRemembered = 65_536
    /// Documents of a vanished root whose names and keys are remembered; a larger root is
    /// forgotten, and comes back with new keys.
    package var documentsRemembered = 100_000
    /// Folders below a root; deeper ones are reported as degraded, and not entered.
    package var depth = 128
    /// Roots.
    package var roots = 64
    /// Degraded folders named in a status, and reported; the others are only counted.
    package var degradedNamed = 64

    package init() {}
}
