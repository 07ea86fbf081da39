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
        do throws(SystemError) {
            if runner == nil { runner = try PreviewRunner(on: loop) }
            return runner?.start(request, tell) ?? .none
        } catch {
            tell(.failed("\(error)"))
            return .none
        }
    }

    func picture(
        _ request: PreviewRequest, on loop: PollLoop, _ tell: @escaping (PreviewContent) -> Void
    ) -> Cancellation {
        do throws(SystemError) {
            if pictures == nil { pictures = try PictureRunner(on: loop) }
            return pictures?.start(request, tell) ?? .none
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
