package import JSONText
internal import Observables
package import PickerModel
package import WireProtocol

/// A pending answer.
///
/// It is settled once: by `resolve`, by `fail`, or by the session when the client cancels or disconnects.
package final class PendingReply {
    /// Called once, when the reply is settled or abandoned, to release the resources behind it.
    package var onEnd: (() -> Void)?
    /// For the session: called with the progress of the scan that the answer waits for.
    package var onProgress: ((ScanCounts) -> Void)?
    /// For the session: called with how much is done of what the request asks for.
    package var onSteps: ((StepCounts) -> Void)?
    private var scan: Connection?
    private var deliver: ((Answer) -> Void)?
    private var early: Answer?
    private var isAbandoned = false

    package enum Answer {
        case result((inout JSONWriter) -> Void)
        case failure(ProtocolError)
    }

    package init() {}

    /// Tells the progress of each scan of the folders from now on, until the answer.
    package func tellProgress(of documents: DocumentStore) {
        scan = documents.scan.changes.connect { [weak self, weak documents] _ in
            if let counts = documents?.scan.value { self?.onProgress?(counts) }
        }
    }

    /// Tells how much is done of what the request asks for, if its answer is still pending.
    package func tell(_ steps: StepCounts) { onSteps?(steps) }

    /// Tells no more progress.
    func endProgress() { scan = nil }

    /// Settles with the result that `write` writes.
    package func resolve(_ write: @escaping (inout JSONWriter) -> Void) { settle(.result(write)) }

    /// Settles with the result that `write` writes, or the error that it throws.
    package func answer(_ write: (inout JSONWriter) throws(ProtocolError) -> Void) {
        var result = JSONWriter()
        do throws(ProtocolError) {
            try write(&result)
        } catch {
            return fail(error)
        }
        let fragment = JSONFragment(writing: { $0.splice(result) })
        resolve { $0.fragment(fragment) }
    }

    /// Settles with an error.
    package func fail(_ error: ProtocolError) { settle(.failure(error)) }

    /// For the session: sets the receiver of the answer, and calls it at once if the answer exists.
    package func onAnswer(_ deliver: @escaping (Answer) -> Void) {
        if let early {
            deliver(early)
        } else {
            self.deliver = deliver
        }
    }

    /// Whether it is settled or abandoned.
    var isOver: Bool { early != nil || isAbandoned }

    /// For the session: abandons the answer.
    package func abandon() {
        isAbandoned = true
        deliver = nil
        end()
    }

    func settle(_ answer: Answer) {
        guard early == nil else { return }
        early = answer
        let deliver = self.deliver
        self.deliver = nil
        end()
        deliver?(answer)
    }

    private func end() {
        scan = nil
        onProgress = nil
        onSteps = nil
        let told = onEnd
        onEnd = nil
        told?()
    }
}

/// The pending replies of a plugin, so that no request waits for one that is off.
final class OwedReplies {
    private struct Owed {
        weak var reply: PendingReply?
    }

    private var replies: [Owed] = []
    /// The count at which settled replies are removed: twice the number left by the last sweep.
    private var nextSweep = 16

    /// A handler that tracks its pending replies.
    func tracking(_ handler: @escaping MethodHandler) -> MethodHandler {
        { [self] (call, writer) throws(ProtocolError) in
            let outcome = try handler(call, &writer)
            if case .pending(let reply) = outcome { track(reply) }
            return outcome
        }
    }

    private func track(_ reply: PendingReply) {
        replies.append(Owed(reply: reply))
        guard replies.count >= nextSweep else { return }
        replies.removeAll { $0.reply?.isOver ?? true }
        nextSweep = max(16, 2 * replies.count)
    }

    func failAll(of plugin: String) {
        let all = replies
        replies = []
        for owed in all {
            owed.reply?.fail(
                .pluginFailed(plugin, "the plugin '\(plugin)' was switched off meanwhile"))
        }
    }
}
