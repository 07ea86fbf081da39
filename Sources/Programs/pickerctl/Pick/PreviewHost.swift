import PickerClient
import Picking
import Previews
import StateFeedback
import SystemInterface

/// The previews of a picker, and the pictures of its tiles: what makes them is started with the first one.
final class PreviewHost {
    private var runner: PreviewRunner?
    private var pictures: PictureRunner?

    func show(
        _ request: PreviewRequest, on loop: PollLoop, _ tell: @escaping (PreviewContent) -> Void
    ) -> Cancellation {
        start(tell) { () throws(SystemError) in
            if runner == nil { runner = try PreviewRunner(on: loop) }
            return runner?.start(request, tell)
        }
    }

    func picture(
        _ request: PreviewRequest, on loop: PollLoop, _ tell: @escaping (PreviewContent) -> Void
    ) -> Cancellation {
        start(tell) { () throws(SystemError) in
            if pictures == nil { pictures = try PictureRunner(on: loop) }
            return pictures?.start(request, tell)
        }
    }

    private func start(
        _ tell: (PreviewContent) -> Void, _ start: () throws(SystemError) -> Cancellation?
    ) -> Cancellation {
        do throws(SystemError) {
            return try start() ?? .none
        } catch {
            tell(.failed("\(error)"))
            return .none
        }
    }

    /// Ends the command under way, if there is one, and all that it started.
    func close() {
        runner?.close()
        pictures?.close()
    }
}
