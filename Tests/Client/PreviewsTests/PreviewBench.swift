import Glibc
import PickerClient
import Picking
import Previews
import StateFeedback
import SystemInterface
import TerminalCells
import TestSupport

/// A clock that a test sets.
final class TestClock {
    var nanoseconds: Int64 = 1_000_000_000

    func pass(milliseconds: Int64) { nanoseconds += milliseconds * 1_000_000 }
}

/// A runner of previews, as a picker uses it: a preview ends when another one, or none, is wanted.
final class PreviewBench {
    private struct Scene {
        var wanted: PreviewRequest?
        var told: [PreviewContent] = []
    }

    private enum Deed {
        case want(PreviewRequest?)
        case told(PreviewContent)
    }

    let folder: TemporaryFolder
    let loop: PollLoop
    let runner: PreviewRunner
    private let system: FeedbackSystem<Scene, Deed>
    private var number = 0

    init(
        clock: TestClock? = nil, environment: [String: String] = ["PATH": "/usr/bin:/bin"],
        reading: @escaping @Sendable (FilePreview) -> FileContent = { $0.read() }
    ) throws {
        folder = try TemporaryFolder()
        let loop = clock.map { clock in PollLoop { clock.nanoseconds } } ?? PollLoop()
        let runner = try PreviewRunner(on: loop, environment: environment, reading: reading)
        (self.loop, self.runner) = (loop, runner)
        system = FeedbackSystem(
            initial: Scene(),
            reduce: { scene, deed in
                switch deed {
                case .want(let request): Scene(wanted: request)
                case .told(let content): Scene(wanted: scene.wanted, told: scene.told + [content])
                }
            },
            feedback: [
                .react(to: \.wanted) { request, send in runner.start(request) { send(.told($0)) } }
            ])
    }

    /// What was told of the preview that is wanted now.
    var told: [PreviewContent] { system.state.told }
    var last: PreviewContent? { told.last }
    var text: [String]? { last?.text }

    /// Wants the preview of a file in the folder, or at another path.
    func show(
        _ name: String = "file", command: String? = nil, terms: [String] = [], query: String = ""
    ) {
        show(
            path: Array((name.hasPrefix("/") ? name : folder.path(name)).utf8), command, terms,
            query)
    }

    func show(path: [UInt8], _ command: String?, _ terms: [String] = [], _ query: String = "") {
        number += 1
        system.send(
            .want(
                PreviewRequest(
                    number: number, path: path, size: nil, modified: nil, type: nil,
                    area: TerminalSize(rows: 20, columns: 80), terms: terms, query: query,
                    command: command)))
    }

    /// Wants the preview of an image in the folder.
    func showImage(_ name: String, type: String? = "image/png", thumbnail: String? = nil) {
        number += 1
        var request = PreviewRequest(
            number: number, path: Array(folder.path(name).utf8), size: nil, modified: nil,
            type: type, area: TerminalSize(rows: 20, columns: 80), terms: [], query: "",
            command: nil)
        request.thumbnail = thumbnail.map { Array(folder.path($0).utf8) }
        system.send(.want(request))
    }

    func showNone() { system.send(.want(nil)) }

    /// Runs the loop until a condition holds, which is looked at every few milliseconds too.
    func reach(_ condition: () -> Bool) -> Bool {
        let deadline = ContinuousClock.now + patience
        while !condition() {
            if ContinuousClock.now >= deadline { return false }
            turn()
        }
        return true
    }

    /// One turn of the loop, which does not wait: a timer would follow the test's clock.
    func turn() {
        guard let wake = try? OwnedDescriptor.wakeUp() else { return }
        // A pause between the looks, not an estimate of a duration.
        wake.waitUntilReadable(milliseconds: 1)
        wake.signalWakeUp()
        var isDone = false
        let watch = loop.watch(wake.number, for: .readable) { _ in isDone = true }
        loop.run { isDone }
        watch.cancel()
    }

    /// What is shown in the end.
    func content() -> PreviewContent? {
        _ = reach {
            switch last {
            case nil, .loading: false
            case .text, .image, .failed: true
            }
        }
        return last
    }
}

extension PreviewContent {
    var text: [String]? {
        if case .text(let lines, _, _) = self { lines.map(\.text) } else { nil }
    }

    var isCut: Bool {
        if case .text(_, _, let isCut) = self { isCut } else { false }
    }

    var failure: String? {
        if case .failed(let why) = self { why } else { nil }
    }
}

extension FilePreview {
    /// What is read of the file at a path, without a thread.
    static func content(
        of path: String, terms: [String] = [], type: String? = nil, columns: Int = 80
    ) -> PreviewContent {
        FilePreview(
            of: PreviewRequest(
                number: 1, path: Array(path.utf8), size: nil, modified: nil, type: type,
                area: TerminalSize(rows: 20, columns: columns), terms: terms, query: "",
                command: nil)
        ).read().content
    }
}
