internal import PickerClient
internal import Picking

/// A preview that is to be shown.
final class WantedPreview {
    let request: PreviewRequest
    let number: Int
    var timers: [PollTimer] = []
    var command: RunningCommand?
    /// What is shown if the command fails.
    var substitute: PreviewContent?
    /// Whether it begins when there is room.
    var isWaiting = false
    private(set) var hasTold = false
    /// Whether its command's news are told at the end of the turn.
    var isToldLater = false
    private let receiver: (PreviewContent) -> Void

    init(
        _ request: PreviewRequest, number: Int, _ receiver: @escaping (PreviewContent) -> Void
    ) {
        self.request = request
        self.number = number
        self.receiver = receiver
    }

    func tell(_ content: PreviewContent) {
        hasTold = true
        receiver(content)
    }
}
