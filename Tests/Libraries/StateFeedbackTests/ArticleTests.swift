// The example of the article, run.

import StateFeedback
import Testing

private struct Counter: Equatable {
    var count = 0
    var isSaving = false
}

private enum Change {
    case increment, save, saved
}

/// Writes on request.
private final class SlowStore {
    final class Writing {
        var isCancelled = false
        func cancel() { isCancelled = true }
    }

    private(set) var written: [Int] = []
    private(set) var last: Writing?
    private var finishLast: (() -> Void)?

    func write(_ number: Int, then done: @escaping () -> Void) -> Writing {
        let writing = Writing()
        last = writing
        finishLast = { [unowned self] in
            written.append(number)
            done()
        }
        return writing
    }

    func finish() { finishLast?() }
}

@Suite struct ArticleTests {
    @Test("The counter of the article saves its value, again if it changes meanwhile")
    func counter() {
        let store = SlowStore()
        var printed: [Int] = []
        let system = FeedbackSystem<Counter, Change>(
            initial: Counter(),
            reduce: { state, change in
                var state = state
                switch change {
                case .increment: state.count += 1
                case .save: state.isSaving = true
                case .saved: state.isSaving = false
                }
                return state
            },
            feedback: [
                .observe { printed.append($0.count) },
                .react(to: { $0.isSaving ? $0.count : nil }) { count, send in
                    let writing = store.write(count) { send(.saved) }
                    return Cancellation { writing.cancel() }
                },
            ])
        system.send(.increment)
        system.send(.save)
        let first = store.last
        system.send(.increment)
        #expect(first?.isCancelled == true && store.last !== first)
        store.finish()
        #expect(store.written == [2] && system.state == Counter(count: 2))
        #expect(printed == [0, 1, 1, 2, 2])
    }
}
