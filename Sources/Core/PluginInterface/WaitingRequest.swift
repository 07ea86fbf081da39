internal import EventLoops
internal import JSONText
internal import WireProtocol

/// A request that waits before its handler is called.
final class WaitingRequest {
    let call: MethodCall
    private let handler: MethodHandler
    /// The answer that its session waits for.
    let reply = PendingReply()
    var timer: (any TimerSource)?
    /// The handler's own pending reply.
    private var later: PendingReply?
    private var hasEnded = false

    init(_ call: MethodCall, _ handler: @escaping MethodHandler) {
        self.call = call
        self.handler = handler
    }

    /// Passes the request to its handler.
    func resume() {
        guard !hasEnded else { return }
        timer?.cancel()
        timer = nil
        reply.endProgress()
        var writer = JSONWriter()
        do throws(ProtocolError) {
            switch try handler(call, &writer) {
            case .answered:
                let result = JSONFragment(sound: writer.finish())
                reply.resolve { $0.fragment(result) }
            case .pending(let later):
                self.later = later
                later.onProgress = { [weak reply] in reply?.onProgress?($0) }
                later.onSteps = { [weak reply] in reply?.onSteps?($0) }
                later.onAnswer { [reply] answer in reply.settle(answer) }
            }
        } catch {
            reply.fail(error)
        }
    }

    /// Ends the wait: the request was answered or abandoned.
    func end() {
        hasEnded = true
        timer?.cancel()
        timer = nil
        later?.abandon()
        later = nil
    }
}
