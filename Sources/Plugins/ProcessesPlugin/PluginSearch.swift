internal import EventLoops
internal import PluginProcesses
internal import SystemInterface

/// Looks for plugins on a thread, whenever something has changed where they are.
///
/// The places and the folders in them are watched; of a place that does not exist, the nearest folder above that does.
/// A change counts once nothing has changed for a quarter of a second, or after two seconds of changes, so that a plugin
/// that is being copied is not seen half. One search runs at a time.
final class PluginSearch {
    static let quiet = Duration.milliseconds(250)
    static let patience = Duration.seconds(2)
    private let loop: any EventLoop
    private let found: (PluginFolders.Listing) -> Void
    var onTrouble: (String) -> Void = { _ in }
    private var watch: PluginFolderWatch?
    /// What it watches, and whether something has changed there since.
    private var watched: (places: [RawPath], found: [RawPath]) = ([], [])
    private var isWatchStale = true
    private var timer: (any TimerSource)?
    /// When the first change was seen that no search has followed.
    private var changedSince: MonotonicInstant?
    private var folders: PluginFolders?
    private var answers: Mailbox<PluginFolders.Listing>?
    private var delivery: (any LoopSource)?
    private var isSearching = false
    private var isNeeded = false

    init(on loop: any EventLoop, found: @escaping (PluginFolders.Listing) -> Void) {
        self.loop = loop
        self.found = found
    }

    /// Opens the descriptors that the search needs, so that how many the daemon has does not change while it runs.
    /// What can't be opened now is tried again, and told, when it is needed.
    func prepare() {
        _ = try? openMailbox()
        watch = try? PluginFolderWatch([], [], on: loop) {}
    }

    /// Looks through these places, and calls `found` later.
    func look(in folders: PluginFolders) {
        self.folders = folders
        guard !isSearching else {
            isNeeded = true
            return
        }
        do throws(SystemError) {
            let answers = try openMailbox()
            try WorkerThread.start(isBackground: true) {
                answers.post(folders.scan())
            }
            isSearching = true
        } catch {
            onTrouble("the plugins can't be looked for: \(error); changes there are not seen")
        }
    }

    private func openMailbox() throws(SystemError) -> Mailbox<PluginFolders.Listing> {
        if let answers { return answers }
        let new = try Mailbox<PluginFolders.Listing>(limit: 4)
        delivery = try new.deliver(on: loop) { [unowned self] in finish($0) }
        answers = new
        return new
    }

    private func finish(_ listing: PluginFolders.Listing) {
        isSearching = false
        if isNeeded, let folders {
            isNeeded = false
            return look(in: folders)
        }
        found(listing)
    }

    /// Watches the places, and the folders of plugins, in place of all before.
    func watch(_ folders: PluginFolders, _ found: [RawPath]) {
        self.folders = folders
        // After a change one of the folders may be another one of the same name.
        if !isWatchStale, watched.places == folders.places, watched.found == found { return }
        watched = (folders.places, found)
        isWatchStale = false
        watch = nil
        do throws(SystemError) {
            watch = try PluginFolderWatch(folders.places, found, on: loop) {
                [unowned self] in changed()
            }
        } catch {
            onTrouble(
                "the folders of plugins can't be watched: \(error); a reload looks through them")
        }
    }

    private func changed() {
        isWatchStale = true
        let now = loop.now
        let since = changedSince ?? now
        changedSince = since
        let left = Self.patience - since.duration(to: now)
        let wait = max(min(Self.quiet, left), .zero)
        if let timer { return timer.reschedule(after: wait) }
        timer = try? loop.schedule(after: wait) { [unowned self] in
            changedSince = nil
            if let folders { look(in: folders) }
        }
    }
}
