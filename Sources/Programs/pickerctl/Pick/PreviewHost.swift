import PickerClient
import Picking
import Previews
import StateFeedback
import SystemInterface

/// The previews of a picker: what makes them is started with the first one.
final class PreviewHost {
    private var runner: PreviewRunner?

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

    /// Ends the command under way, if there is one, and all that it started.
    func close() { runner?.close() }
}
