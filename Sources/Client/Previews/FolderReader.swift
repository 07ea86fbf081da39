package import PickerClient
package import Picking
package import StateFeedback
package import SystemInterface

/// Reads the folder that a picker shows, follows its changes, and does what is asked in it, so that the loop never waits
/// for a disk.
///
/// Each folder has a thread as long as it is shown. One that hangs, as at a file server that does not answer, is left
/// behind until the system lets it go on; with `mostThreads` of them no other folder is read until then. Confined to the
/// loop's thread.
package final class FolderReader {
    package static let mostThreads = 8
    /// So many requests of one folder may wait for an answer.
    private static let mostRequests = 4
    /// So much news waits for the loop; what has no room is told later.
    private static let mostNews = 64

    private struct Message: Sendable {
        let folder: Int
        let news: FolderFollower.News
    }

    /// A thread.
    private struct Follower {
        let worker: Worker<FolderFollower.Job, Never>
        var requests = 0

        /// Tells the thread that it is to end.
        /// - Returns: false if it has ended.
        func end() -> Bool {
            worker.post(.end) { if case .end = $0 { true } else { false } }
        }
    }

    private let loop: PollLoop
    private let news: SystemInterface.Mailbox<Message>
    private var watch: PollWatch?
    private var count = 0
    private var current: Follower?
    /// Those that were told to end, and may hang.
    private var left: [Follower] = []
    private var tellListing: (FolderListing) -> Void = { _ in }
    private var answers: [Int: (FolderAnswer) -> Void] = [:]

    /// - Parameter loop: Delivers what was read.
    /// - Throws: the system's error if there is no descriptor left.
    package init(on loop: PollLoop) throws(SystemError) {
        self.loop = loop
        news = try Mailbox(limit: Self.mostNews)
        watch = loop.watch(news.number, for: .readable) { [weak self] _ in self?.deliver() }
    }

    deinit { close() }

    /// Follows a folder, in place of the one before.
    ///
    /// - Parameters:
    ///   - wanted: The folder.
    ///   - tell: Called with what is in it, first once it was read, then when that has changed.
    /// - Returns: what ends it; `tell` is not called after that.
    package func follow(
        _ wanted: WantedFolder, _ tell: @escaping (FolderListing) -> Void
    ) -> Cancellation {
        leave()
        left.removeAll { !$0.end() }
        guard watch != nil else { return .none }
        count += 1
        let number = count
        guard let path = RawPath(bytes: wanted.path) else {
            tell(FolderListing(fault: "Its path has a NUL byte: there is no such folder"))
            return .none
        }
        if left.count >= Self.mostThreads {
            tell(FolderListing(fault: "\(left.count) other folders have not been read yet"))
            return .none
        }
        do throws(SystemError) {
            current = try start(path, withFiles: wanted.withFiles, number: number)
        } catch {
            tell(FolderListing(fault: "\(error)"))
            return .none
        }
        tellListing = tell
        return Cancellation { [weak self] in
            if let self, count == number { leave() }
        }
    }

    /// Has something done in the folder that is followed.
    ///
    /// - Parameters:
    ///   - request: What is to be done.
    ///   - tell: Called with the answer.
    /// - Returns: what keeps the answer from being told; it is done all the same.
    package func perform(
        _ request: FolderRequest, _ tell: @escaping (FolderAnswer) -> Void
    ) -> Cancellation {
        guard let current, current.requests < Self.mostRequests else {
            tell(.refused("The disk does not answer"))
            return .none
        }
        self.current?.requests += 1
        answers[request.number] = tell
        current.worker.hand(over: .perform(request))
        return Cancellation { [weak self] in self?.answers[request.number] = nil }
    }

    /// Lets the threads end, without waiting for them. Nothing is told any more.
    package func close() {
        leave()
        watch.take()?.cancel()
    }

    private func leave() {
        if let current {
            _ = current.end()
            left.append(current)
        }
        current = nil
        tellListing = { _ in }
        answers = [:]
    }

    private func start(
        _ path: RawPath, withFiles: Bool, number: Int
    ) throws(SystemError) -> Follower {
        let news = news
        // Room for the requests and the end.
        let limit = Self.mostRequests + 1
        return Follower(
            worker: try Worker<FolderFollower.Job, Never>(limit: limit, answer: { _ in }) { desk in
                FolderFollower(path, withFiles: withFiles, desk) {
                    news.post(Message(folder: number, news: $0))
                }.run()
            })
    }

    private func deliver() {
        for message in news.takeAll() where message.folder == count && current != nil {
            switch message.news {
            case .listing(let listing): tellListing(listing)
            case .answer(let answer, let request):
                current?.requests -= 1
                answers.removeValue(forKey: request)?(answer)
            }
        }
    }
}
