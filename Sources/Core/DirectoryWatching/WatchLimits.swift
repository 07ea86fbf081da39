/// The limits of a watcher, and the effect of each.
///
/// Tests lower them to reach them quickly; the daemon uses the defaults.
package struct WatchLimits: Sendable {
    /// Events read in one turn of the loop; the rest waits for the next turn.
    package var eventsPerTurn = 1024
    /// Pending changes that lead to a commit although the queue is not empty yet.
    package var changesPerTransaction = 1024
    /// The changes of the first commit, if there are so many; fast commits double them.
    package var changesAtFirst = 256
    /// Slow commits halve the changes of one turn down to this number.
    package var fewestChangesPerTransaction = 128
    /// For so long the store is told that more changes are coming, while events are unread or folders are being read; of
    /// what takes longer it makes what it can.
    package var midwayTime: Duration = .seconds(2)
    /// The duration above which a commit is slow.
    package var commitTime: Duration = .microseconds(500)
    /// The time that a turn may spend on checks, and on reading the queue before a commit; the rest continues
    /// in the next turn. Work that a caller waits for, as in `drainNow`, is not cut.
    package var turnTime: Duration = .microseconds(500)
    /// Folder entries checked in one slice of a scan: about a millisecond.
    package var entriesPerSlice = 400
    /// Folder entries that threads have read and that are checked in one slice of a scan, if `sliceTime` suffices.
    package var entriesPerSliceElsewhere = 4000
    /// The time after which such a slice ends.
    package var sliceTime: Duration = .microseconds(600)
    /// Folders that threads read at a time, each with a descriptor; the others wait.
    package var foldersElsewhere = 32
    /// Entries read by threads that wait to be checked; beyond this, no other folder is begun.
    package var entriesElsewhere = 8192
    /// Names in one folder that are touched while threads read it; beyond this, all its entries are checked on disk.
    package var namesTouched = 4096
    /// Folder entries that `drainNow` may scan before it returns; the rest continues in slices.
    package var entriesInline = 1000
    /// Changes collected until the end of a rescan; beyond this, it commits in parts, and a file that was moved
    /// meanwhile may get a new key.
    package var changesPerRescan = 200_000
    /// The time that a half-seen move waits for its second half before it counts as a removal.
    package var renameTimeout: Duration = .milliseconds(2)
    /// The time that a misplaced folder with marked names waits for an event that says where it went, before
    /// its own name is checked.
    package var misplacedWait: Duration = .milliseconds(10)
    /// Misplaced folders that wait until due commits are made and the queue is read; if there are more, as when a tree
    /// is removed, they are checked at once, and a file that was saved in one just then may get a new key.
    package var misplacedFolders = 64
    /// Half-seen moves waiting at once; beyond this, the oldest counts as a removal.
    package var pendingRenames = 4096
    /// The time that the check of a file waits for the end of its save: until it is closed, or another one is in its
    /// place. A file that is written for longer is checked at this interval.
    package var holdTime: Duration = .milliseconds(50)
    /// The same for a new file with a name that programs give to what they rename over a document.
    package var draftTime: Duration = .seconds(1)
    /// Files whose checks wait at once; beyond this, they are checked as they are, perhaps in the middle of a save.
    package var namesHeld = 1024
    /// The shortest and the longest time between two polls of folders without a watch. It doubles as long as polls find
    /// nothing, and starts over when one finds a change.
    package var pollIntervals: ClosedRange<Duration> = .seconds(1) ... .seconds(30)
    /// The time between two polls is so many times that of a poll, at least.
    package var pollTimes = 20
    /// A watch is taken from a folder for another one only if it has been there without an event for so long; and a
    /// folder that has lost one is not given another's for as long.
    package var watchRest: Duration = .seconds(60)
    /// Watches that are moved to other folders in one round, which follows a poll. Rounds begin at the shortest time
    /// between polls, at most.
    package var watchesMoved = 8
    /// Folders without watches that want one at a time; others want it again when a later poll finds a change.
    package var foldersWanting = 64
    /// Watches that are looked at in one turn for one that may be moved; the search goes on in the next turn.
    package var watchesPassedAtOnce = 512
    /// Watches that are looked at in one round; the next one goes on from there.
    package var watchesPassed = 65_536
    /// Folders in a round at which lists look, and which therefore get watches or keep them.
    package var foldersViewed = 64
    /// Lists that are asked in a round for the folders of what they show; the others' turn is in the next rounds.
    package var listsAsked = 64
    /// The first rows that a list shows, which are those that count.
    package var rowsAsked = 100
    /// The interval between reports of the progress of scans.
    package var progressInterval: Duration = .milliseconds(250)
    /// The time that a vanished file's key is remembered in case the same inode returns.
    package var keyMemory: Duration = .seconds(1)
    /// Vanished files remembered; beyond this, the oldest are forgotten, and return with a new key.
    package var rememberedKeys = 65_536
    /// Documents of a vanished root whose names and keys are remembered; a larger root is forgotten, and
    /// returns with new keys.
    package var documentsRemembered = 100_000
    /// Depth of folders below a root; deeper ones are reported as degraded and not read.
    package var depth = 128
    /// Links that are followed on one path; those that lie behind more are not.
    package var linkLevels = 8
    /// Links that are known: those beyond it to folders are not followed, and those to files are looked at again only when
    /// their folders are read, or an event names them.
    package var links = 4096
    /// Number of roots.
    package var roots = 64
    /// Degraded folders named in a status and in reports; others are only counted.
    package var degradedNamed = 64

    package init() {}
}
