import PickerClient
import Picking
import Previews
import StateFeedback
import TestSupport

/// A reader, as a picker uses it.
final class FolderScene {
    private struct State {
        var folder: WantedFolder?
        var request: FolderRequest?
        var listings: [FolderListing] = []
        var answer: FolderAnswer?
    }

    private enum Deed {
        case want(WantedFolder?)
        case ask(FolderRequest)
        case listing(FolderListing)
        case answer(FolderAnswer)
    }

    let disk: TemporaryFolder
    let loop = PollLoop()
    let reader: FolderReader
    private let system: FeedbackSystem<State, Deed>
    private var count = 0

    init() throws {
        disk = try TemporaryFolder()
        let reader = try FolderReader(on: loop)
        self.reader = reader
        system = FeedbackSystem(
            initial: State(),
            reduce: { state, deed in
                var state = state
                switch deed {
                case .want(let folder): state = State(folder: folder)
                case .ask(let request): (state.request, state.answer) = (request, nil)
                case .listing(let listing): state.listings.append(listing)
                case .answer(let answer): (state.request, state.answer) = (nil, answer)
                }
                return state
            },
            feedback: [
                .react(to: \.folder) { wanted, send in
                    reader.follow(wanted) { send(.listing($0)) }
                },
                .react(to: \.request) { request, send in
                    reader.perform(request) { send(.answer($0)) }
                },
            ])
    }

    var listings: [FolderListing] { system.state.listings }

    func follow(_ path: [UInt8], withFiles: Bool = true) {
        count += 1
        system.send(.want(WantedFolder(number: count, path: path, withFiles: withFiles)))
    }

    func follow(_ name: String = "", withFiles: Bool = true) {
        follow(Array((name.isEmpty ? disk.path : disk.path(name)).utf8), withFiles: withFiles)
    }

    func leave() { system.send(.want(nil)) }

    /// The names that are told in the end, those of folders with a slash.
    func shows(_ names: [String]) -> Bool {
        reach { listings.last.map(Self.names) == names }
    }

    static func names(_ listing: FolderListing) -> [String] {
        listing.entries.map { $0.text + ($0.isFolder ? "/" : "") }
    }

    func first() -> FolderListing? {
        _ = reach { !listings.isEmpty }
        return listings.last
    }

    func answer(_ deed: FolderRequest.Deed, in name: String = "") -> FolderAnswer? {
        count += 1
        let folder = Array((name.isEmpty ? disk.path : disk.path(name)).utf8)
        system.send(.ask(FolderRequest(number: count, folder: folder, deed)))
        _ = reach { system.state.answer != nil }
        return system.state.answer
    }

    /// Takes what has come, without waiting for more.
    func turn() {
        var isOver = false
        loop.schedule(after: .zero) { isOver = true }
        loop.run { isOver }
    }

    /// Runs the loop until a condition holds; false if it does not in time.
    func reach(_ condition: () -> Bool) -> Bool {
        var isLate = false
        let timer = loop.schedule(after: patience) { isLate = true }
        defer { timer.cancel() }
        loop.run { isLate || condition() }
        return condition()
    }
}
