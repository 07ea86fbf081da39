internal import Glibc
internal import PickerClient
internal import Picking
internal import SystemInterface

/// Follows a folder, on a thread of its own: tells what is in it, again when that changes, and does what is asked.
///
/// The watch is added before the folder is read, so that no change is missed, and the folder is found by its path each
/// time, as the picker means it: another one that is moved there is told, too. Reading takes a tenth of the time at
/// most, however often something changes.
final class FolderFollower {
    enum Job: Sendable {
        case perform(FolderRequest)
        case end
    }

    enum News: Sendable {
        case listing(FolderListing)
        case answer(FolderAnswer, to: Int)
    }

    typealias Desk = Worker<Job, Never>.Desk

    /// The least time between two readings, and how many times the time of one is between it and the next.
    private static let pause = Duration.milliseconds(20)
    private static let rest = 9

    private let path: RawPath
    private let withFiles: Bool
    private let desk: Desk
    /// Tells; false if there is no room for it now.
    private let tell: (News) -> Bool
    private let loop = PollLoop()
    private var queue: Inotify?
    private var watch: Int32?
    private var told: FolderListing?
    /// Answers for which there was no room: few, because few requests wait at once.
    private var untold: [News] = []
    private var timer: PollTimer?
    /// The time before which it is not read again.
    private var nextReading: Int64 = 0
    private var isEnded = false

    init(_ path: RawPath, withFiles: Bool, _ desk: Desk, _ tell: @escaping (News) -> Bool) {
        self.path = path
        self.withFiles = withFiles
        self.desk = desk
        self.tell = tell
    }

    /// Follows the folder until a job says that this is the end.
    func run() {
        loop.watch(desk.number, for: .readable) { [unowned self] _ in takeJobs() }
        queue = try? Inotify()
        if let number = queue?.number {
            loop.watch(number, for: .readable) { [unowned self] _ in takeEvents() }
        }
        read()
        loop.run { isEnded }
    }

    private func takeJobs() {
        for job in desk.takeAll() {
            switch job {
            case .perform(let request):
                untold.append(.answer(FolderDeeds.perform(request), to: request.number))
                tellAnswers()
            case .end: isEnded = true
            }
        }
    }

    private func tellAnswers() {
        while let first = untold.first {
            guard tell(first) else { return readSoon() }
            untold.removeFirst()
        }
    }

    private func takeEvents() {
        // What has happened is seen when the folder is read.
        while (try? queue?.readEvents { _ in }) == true {}
        readSoon()
    }

    private func readSoon() {
        guard timer == nil, !isEnded else { return }
        let wait = Duration.nanoseconds(max(0, nextReading - loop.nanoseconds))
        timer = loop.schedule(after: wait) { [unowned self] in
            timer = nil
            read()
        }
    }

    private func read() {
        tellAnswers()
        let start = loop.nanoseconds
        var listing: FolderListing
        do throws(SystemError) {
            let isLive = follow()
            listing = try entries()
            listing.isLive = isLive
        } catch {
            let isGone = error.code == .noSuchFile || error.code == .notADirectory
            listing = FolderListing(fault: FolderDeeds.sentence(error.code), isGone: isGone)
        }
        if isEnded { return }
        let end = loop.nanoseconds
        nextReading = end + max(Self.pause.wholeNanoseconds, (end - start) * Int64(Self.rest))
        if listing == told { return }
        if tell(.listing(listing)) {
            told = listing
        } else {
            readSoon()
        }
    }

    /// Has the kernel tell of changes in what is at the path now.
    /// - Returns: whether it does.
    private func follow() -> Bool {
        guard
            let new = try? queue?.add(
                path,
                [
                    .created, .deleted, .movedFrom, .movedTo, .selfDeleted, .selfMoved, .attributes,
                    .onlyDirectory,
                ])
        else { return false }
        if let watch, watch != new { queue?.remove(watch) }
        watch = new
        return true
    }

    private func entries() throws(SystemError) -> FolderListing {
        var reader = try DirectoryReader(opening: path)
        var folders: [FolderEntry] = []
        var files: [FolderEntry] = []
        var isCut = false
        let most = FolderListing.mostNames
        var batch: [DirectoryEntry] = []
        while try reader.readBatch({ batch.append($0) }) {
            for entry in batch {
                let isFolder = isFolder(entry, in: reader.folder)
                if isFolder {
                    folders.append(FolderEntry(entry.name, isFolder: true))
                } else if withFiles, folders.count + files.count < most {
                    files.append(FolderEntry(entry.name, isFolder: false))
                } else if withFiles {
                    isCut = true
                }
            }
            batch.removeAll(keepingCapacity: true)
            // Folders are more than files: they lead on.
            if folders.count > most { break }
            takeJobs()
            if isEnded { break }
        }
        if folders.count + files.count > most {
            isCut = true
            folders.removeLast(max(0, folders.count - most))
            files.removeLast(folders.count + files.count - most)
        }
        var listing = FolderListing(
            folders.sorted(by: FolderEntry.isBefore) + files.sorted(by: FolderEntry.isBefore))
        listing.isCut = isCut
        return listing
    }

    /// A link is what it leads to; one that leads nowhere, or in a circle, is no folder.
    private func isFolder(
        _ entry: DirectoryEntry, in folder: borrowing OwnedDescriptor
    ) -> Bool {
        switch entry.kind {
        case .directory?: return true
        case .symbolicLink?, nil:
            let status = try? FileStatus.of(entry.name, in: folder, followingLinks: true)
            return status?.kind == .directory
        case .regular?, .socket?, .other?: return false
        }
    }
}
