package import JSONText
package import WireProtocol

/// An answer that is still to come.
///
/// It is given once: by `resolve`, by `fail`, or by the session when the client cancels or goes.
package final class PendingReply {
    /// Called once, when the answer is there or nobody waits for it any more: let go of what was
    /// to bring it.
    package var onEnd: (() -> Void)?
    private var deliver: ((Answer) -> Void)?
    private var early: Answer?
    private var isAbandoned = false

    package enum Answer {
        case result((inout JSONWriter) -> Void)
        case failure(ProtocolError)
    }

    package init() {}

    /// Gives the result that `write` writes.
    package func resolve(_ write: @escaping (inout JSONWriter) -> Void) { give(.result(write)) }

    /// Gives the result that `write` writes, or the error that it throws.
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

    /// Gives the answer that another handler gave.
    func pass(_ answer: Answer) { give(answer) }

    /// Gives an error.
    package func fail(_ error: ProtocolError) { give(.failure(error)) }

    /// For the session: what to do with the answer, at once if it is there already.
    package func onAnswer(_ deliver: @escaping (Answer) -> Void) {
        if let early {
            deliver(early)
        } else {
            self.deliver = deliver
        }
    }

    /// Whether it was given, or nobody waits for it any more.
    var isOver: Bool { early != nil || isAbandoned }

    /// For the session: nobody waits any more.
    package func abandon() {
        isAbandoned = true
        deliver = nil
        end()
    }

    private func give(_ answer: Answer) {
        guard early == nil else { return }
        early = answer
        let deliver = self.deliver
        self.deliver = nil
        end()
        deliver?(answer)
    }

    private func end() {
        let told = onEnd
        onEnd = nil
        told?()
    }
}

/// The answers that a plugin still owes, so that nobody waits for one that is off.
final class OwedReplies {
    private struct Owed {
        weak var reply: PendingReply?
    }

    private var replies: [Owed] = []
    /// From how many on it is looked which of them are over: twice as many as there were then.
    private var nextLook = 16

    /// The handler, with each answer that is to come noted.
    func noting(_ handler: @escaping MethodHandler) -> MethodHandler {
        { [self] (call, writer) throws(ProtocolError) in
            let outcome = try handler(call, &writer)
            if case .pending(let reply) = outcome { note(reply) }
            return outcome
        }
    }

    private func note(_ reply: PendingReply) {
        replies.append(Owed(reply: reply))
        guard replies.count >= nextLook else { return }
        replies.removeAll { $0.reply?.isOver ?? true }
        nextLook = max(16, 2 * replies.count)
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
