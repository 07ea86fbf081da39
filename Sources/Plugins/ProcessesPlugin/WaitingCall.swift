internal import JSONText
internal import WireProtocol

/// A call of a plugin, from when it is asked for until it is answered or nobody waits for it any more.
final class WaitingCall {
    let method: String
    let params: JSONFragment?
    /// Called with how much the process says is done.
    let progress: ((_ done: Int, _ total: Int) -> Void)?
    /// Called once, with the answer or the error that stands for it; not after `withdraw`.
    let deliver: (Result<JSONView, ProtocolError>) -> Void
    /// What is to be done if nobody waits for it any more: it leaves the queue, or its process is told.
    var onWithdraw: (() -> Void)?

    init(
        method: String, params: JSONFragment?,
        progress: ((_ done: Int, _ total: Int) -> Void)? = nil,
        deliver: @escaping (Result<JSONView, ProtocolError>) -> Void
    ) {
        self.method = method
        self.params = params
        self.progress = progress
        self.deliver = deliver
    }

    /// Nobody waits for it any more.
    func withdraw() {
        let told = onWithdraw
        onWithdraw = nil
        told?()
    }

    /// Answers it.
    func settle(_ answer: Result<JSONView, ProtocolError>) {
        onWithdraw = nil
        deliver(answer)
    }
}
