package import JSONText
package import WireProtocol

/// One run of an action, between the client's request and what carries it out.
///
/// It is finished once: by what carries it out, with an outcome for each target in their order, or with an error for
/// all of them. `cancel` asks for an early end, which is told by `finish` like any other.
package final class ActionRun {
    package let action: OfferedAction
    package let targets: [ActionTarget]
    /// An object; nil for none.
    package let arguments: JSONFragment?
    /// Set by what carries it out: nobody waits for it any more. What is begun may go on to its end.
    package var onCancel: (() -> Void)?
    private var onProgress: (_ done: Int, _ total: Int) -> Void
    private var onEnd: ((Result<[ActionOutcome], ProtocolError>) -> Void)?

    package init(
        _ action: OfferedAction, on targets: [ActionTarget], arguments: JSONFragment?,
        progress: @escaping (_ done: Int, _ total: Int) -> Void,
        end: @escaping (Result<[ActionOutcome], ProtocolError>) -> Void
    ) {
        self.action = action
        self.targets = targets
        self.arguments = arguments
        onProgress = progress
        onEnd = end
    }

    /// Tells how far it has come.
    package func tell(done: Int, of total: Int) {
        if onEnd != nil { onProgress(done, total) }
    }

    /// Ends it. A second end is none.
    package func finish(_ result: Result<[ActionOutcome], ProtocolError>) {
        guard let onEnd else { return }
        self.onEnd = nil
        onCancel = nil
        onProgress = { _, _ in }
        onEnd(result)
    }

    /// Nobody waits for it any more.
    package func cancel() {
        let told = onCancel
        onCancel = nil
        told?()
    }
}
