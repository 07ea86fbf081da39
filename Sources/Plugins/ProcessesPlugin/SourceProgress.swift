internal import WireProtocol

/// What a change of a source does.
enum SourceStep: Equatable {
    case change(from: Int64, to: Int64)
    case reset(rev: Int64, chunk: Int, isLast: Bool)

    var isResetBegin: Bool {
        if case .reset(_, 0, _) = self { true } else { false }
    }
}

/// Whether what a source sends follows what it sent before.
///
/// | state | accepts | then |
/// |---|---|---|
/// | nothing | nothing | |
/// | at a revision | a change from it, to a later one | at that one |
/// | reset is due | the chunk 0 of one | in a reset, or at its revision if that was the last |
/// | in a reset | the next chunk | the same |
///
/// A reset may begin in every state but the first.
struct SourceProgress: Equatable {
    private enum State: Equatable {
        case nothing
        case at(Int64)
        case resetIsDue
        case inReset(rev: Int64, next: Int)
    }

    private var state = State.nothing

    mutating func resume(at revision: Int64) { state = .at(revision) }

    mutating func awaitReset() { state = .resetIsDue }

    /// - Throws: `conflict`, without a change.
    mutating func accept(_ step: SourceStep) throws(ProtocolError) {
        switch (step, state) {
        case (_, .nothing):
            throw .conflict("the source is not open: answer source.open first")
        case (.reset(let rev, 0, let isLast), _):
            state = isLast ? .at(rev) : .inReset(rev: rev, next: 1)
        case (.reset(let rev, let chunk, let isLast), .inReset(let known, let next)):
            guard rev == known, chunk == next else {
                throw .conflict(
                    "chunk \(next) of the reset to revision \(known) must come next, not chunk "
                        + "\(chunk) of \(rev): begin the reset again with chunk 0")
            }
            state = isLast ? .at(rev) : .inReset(rev: rev, next: next + 1)
        case (.reset(_, let chunk, _), _):
            throw .conflict("a reset must begin with chunk 0, not \(chunk)")
        case (.change(let from, let to), .at(let known)):
            guard from == known else {
                throw .conflict(
                    "a change from revision \(from) does not follow revision \(known): send a reset"
                )
            }
            state = .at(to)
        case (.change, .resetIsDue), (.change, .inReset):
            throw .conflict("a reset must come, or be ended, before a change")
        }
    }
}
