/// An effect from its start to its end. It may send mutations in between.
final class RunningEffect {
    private var cancellation: Cancellation?
    private var isEnded = false

    /// Starts an effect; `body` receives the function to send with.
    func start<Mutation>(
        _ send: @escaping (Mutation) -> Void,
        _ body: (_ send: @escaping (Mutation) -> Void) -> Cancellation
    ) {
        let cancellation = body { [weak self] mutation in
            guard let self, !isEnded else { return }
            send(mutation)
        }
        // It may have caused its own end.
        if isEnded { cancellation.cancel() } else { self.cancellation = cancellation }
    }

    func end() {
        guard !isEnded else { return }
        isEnded = true
        cancellation.take()?.cancel()
    }
}
