internal import JSONText
internal import SystemdEventLoop
internal import WireProtocol

/// A request that is kept back until its handler may have it.
final class WaitingRequest {
    private let call: MethodCall
    private let handler: MethodHandler
    private let reply: PendingReply
    var timer: (any TimerSource)?
    /// What the handler will answer with, if it answers later.
    private var later: PendingReply?
    private var hasEnded = false

    init(_ call: MethodCall, _ handler: @escaping MethodHandler, _ reply: PendingReply) {
        self.call = call
        self.handler = handler
        self.reply = reply
    }

    /// Hands the request to its handler.
    func goOn() {
        guard !hasEnded else { return }
        timer?.cancel()
        timer = nil
        var writer = JSONWriter()
        do throws(ProtocolError) {
            switch try handler(call, &writer) {
            case .answered:
                let result = JSONFragment(sound: writer.finish())
                reply.resolve { $0.fragment(result) }
            case .pending(let later):
                self.later = later
                later.onAnswer { [reply] answer in reply.pass(answer) }
            }
        } catch {
            reply.fail(error)
        }
    }

    /// It has been answered, or nobody waits for the answer any more.
    func end() {
        hasEnded = true
        timer?.cancel()
        timer = nil
        later?.abandon()
        later = nil
    }
}
