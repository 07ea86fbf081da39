import PickerClient
import Picking
import StateFeedback

/// A preview that begins when the daemon has told which thumbnail the document has, if it has one.
final class ThumbnailedPreview {
    private var reply: Reply<RemoteDocument>?
    private var preview = Cancellation.none
    private var hasEnded = false

    init(
        _ request: PreviewRequest, on connection: PickerConnection,
        _ previewing: @escaping PickSession.Previewing,
        _ tell: @escaping (PreviewContent) -> Void
    ) {
        let reply = connection.send(.document(key: request.key))
        self.reply = reply
        reply.then { [weak self] outcome in
            guard let self, !hasEnded else { return }
            self.reply = nil
            var request = request
            request.thumbnail = (try? outcome.get())?.thumbnail.map { Array($0.utf8) }
            preview = previewing(request, tell)
        }
    }

    func end() {
        hasEnded = true
        reply?.cancel()
        reply = nil
        preview.cancel()
    }
}
