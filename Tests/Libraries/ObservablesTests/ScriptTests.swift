import Testing

private enum Step: Equatable, Simplifiable {
    case up(Int)
    case down(by: Int, times: [Int])
    case rest

    var simpler: [Step] {
        switch self {
        case .up(let number): number.simpler.map { .up($0) }
        case .down(let number, let times):
            number.simpler.map { .down(by: $0, times: times) }
                + times.simpler.map { .down(by: number, times: $0) }
        case .rest: []
        }
    }

    static let generator = StepGenerator<Step> { random in
        switch random.below(3) {
        case 0: .up(random.below(100))
        case 1: .down(by: random.below(100), times: random.array(limit: 5, alphabet: 50))
        default: .rest
        }
    }
}

@Suite struct ScriptTests {
    /// Broken by a script with a high `up` and later a `down` that holds a number above 20.
    private func property(_ script: [Step]) -> String? {
        var isUp = false
        for step in script {
            if case .up(let number) = step, number >= 17 { isUp = true }
            if isUp, case .down(_, let times) = step, times.contains(where: { $0 > 20 }) {
                return "up and down"
            }
        }
        return nil
    }

    @Test("A failing script is reduced to the relevant steps, in their simplest form")
    func reduction() throws {
        let failure = try #require(
            firstFailure(of: Step.generator, from: 0..<100, size: 60, property))
        #expect(failure.script == [.up(17), .down(by: 0, times: [21])])
        #expect(failure.text == "up and down")
        // The reported source can be pasted, and fails in the same way.
        #expect(
            source(of: failure.script) == "[.up(17), .down(by: 0, times: [21])]")
        #expect(property([.up(17), .down(by: 0, times: [21])]) == "up and down")
    }

    @Test("A seed gives the same script and the same reduction each time")
    func reproduction() throws {
        let first = try #require(
            firstFailure(of: Step.generator, from: 0..<100, size: 60, property))
        let again = try #require(
            firstFailure(
                of: Step.generator, from: first.seed..<(first.seed + 1), size: 60, property))
        #expect(first.script == again.script && first.runs == again.runs)
        #expect(
            Step.generator.script(seed: 5, size: 60) == Step.generator.script(seed: 5, size: 60))
        #expect(
            Step.generator.script(seed: 5, size: 60) != Step.generator.script(seed: 6, size: 60))
    }

    @Test("Reducing ends at its limit, with a script that still fails")
    func limit() throws {
        let failure = try #require(
            firstFailure(of: Step.generator, from: 0..<100, size: 60, runs: 7, property))
        #expect(failure.runs == 7 && property(failure.script) != nil)
    }

    @Test("A broken property is one issue that names the seed, the script and what is wrong")
    func report() {
        withKnownIssue {
            checkScripts(of: Step.generator, from: 0..<100, size: 60, property)
        } matching: { issue in
            let text = issue.comments.map(\.rawValue).joined()
            return ["[.up(17), .down(by: 0, times: [21])]", "up and down", "seed "]
                .allSatisfy { text.contains($0) }
        }
    }

    @Test("A property that holds is tried with the scripts of all seeds without an issue")
    func holding() {
        var scripts = 0
        var longest = 0
        checkScripts(of: Step.generator, from: 0..<50, size: 9) { script in
            scripts += 1
            longest = max(longest, script.count)
            return nil
        }
        #expect(scripts == 50 && longest == 9)
    }
}
