import Testing
import WireProtocol

@testable import ProcessesPlugin

@Suite("Whether what a source sends follows what it sent before") struct SourceProgressTests {
    /// The states, each with how it is reached.
    private enum State: CaseIterable {
        case nothing, at7, resetIsDue, inReset

        var progress: SourceProgress {
            get throws {
                var progress = SourceProgress()
                switch self {
                case .nothing: break
                case .at7: progress.resume(at: 7)
                case .resetIsDue: progress.awaitReset()
                case .inReset:
                    progress.awaitReset()
                    try progress.accept(.reset(rev: 9, chunk: 0, isLast: false))
                    try progress.accept(.reset(rev: 9, chunk: 1, isLast: false))
                }
                return progress
            }
        }
    }

    private static let steps: [SourceStep] = [
        .change(from: 7, to: 8), .change(from: 8, to: 9), .change(from: 6, to: 8),
        .change(from: 9, to: 10), .reset(rev: 3, chunk: 0, isLast: false),
        .reset(rev: 3, chunk: 0, isLast: true), .reset(rev: 9, chunk: 1, isLast: false),
        .reset(rev: 9, chunk: 2, isLast: false), .reset(rev: 9, chunk: 2, isLast: true),
        .reset(rev: 9, chunk: 3, isLast: true), .reset(rev: 8, chunk: 2, isLast: false),
    ]

    /// For each state, the places of the steps above that it accepts.
    private static let accepted: [State: Set<Int>] = [
        .nothing: [], .at7: [0, 4, 5], .resetIsDue: [4, 5], .inReset: [4, 5, 7, 8],
    ]

    @Test("each step in each state")
    func table() throws {
        for state in State.allCases {
            for (place, step) in Self.steps.enumerated() {
                var progress = try state.progress
                let before = progress
                do throws(ProtocolError) {
                    try progress.accept(step)
                    #expect(Self.accepted[state]?.contains(place) == true, "\(state), \(step)")
                } catch {
                    #expect(Self.accepted[state]?.contains(place) == false, "\(state), \(step)")
                    #expect(progress == before && error.kind == .conflict)
                }
            }
        }
    }

    @Test("what is accepted after each step that was")
    func after() throws {
        func follows(_ steps: [SourceStep], _ next: SourceStep) throws -> Bool {
            var progress = SourceProgress()
            progress.resume(at: 7)
            for step in steps { try progress.accept(step) }
            do { try progress.accept(next) } catch { return false }
            return true
        }
        let change = SourceStep.change(from: 7, to: 12)
        #expect(try follows([change], .change(from: 12, to: 13)))
        #expect(try !follows([change], .change(from: 7, to: 13)))
        let begin = SourceStep.reset(rev: 3, chunk: 0, isLast: false)
        #expect(try follows([begin], .reset(rev: 3, chunk: 1, isLast: true)))
        #expect(try !follows([begin], change) && !follows([begin], .change(from: 3, to: 4)))
        // Begun again, at another revision.
        let again = SourceStep.reset(rev: 4, chunk: 0, isLast: false)
        #expect(try follows([begin, again], .reset(rev: 4, chunk: 1, isLast: false)))
        #expect(try !follows([begin, again], .reset(rev: 3, chunk: 1, isLast: false)))
        let end = SourceStep.reset(rev: 3, chunk: 1, isLast: true)
        #expect(try follows([begin, end], .change(from: 3, to: 4)))
        #expect(try !follows([begin, end], .reset(rev: 3, chunk: 2, isLast: true)))
    }

    @Test("what a refusal says")
    func messages() throws {
        func message(_ state: State, _ step: SourceStep) throws -> String {
            var progress = try state.progress
            do throws(ProtocolError) { try progress.accept(step) } catch { return error.message }
            return ""
        }
        let change = SourceStep.change(from: 6, to: 8)
        #expect(
            try message(.nothing, change) == "the source is not open: answer source.open first")
        #expect(
            try message(.at7, change)
                == "a change from revision 6 does not follow revision 7: send a reset")
        let due = "a reset must come, or be ended, before a change"
        #expect(try message(.resetIsDue, change) == due && message(.inReset, change) == due)
        let chunk = SourceStep.reset(rev: 9, chunk: 3, isLast: false)
        #expect(try message(.at7, chunk) == "a reset must begin with chunk 0, not 3")
        #expect(
            try message(.inReset, chunk)
                == "chunk 2 of the reset to revision 9 must come next, not chunk 3 of 9: begin the reset again "
                + "with chunk 0")
    }
}
