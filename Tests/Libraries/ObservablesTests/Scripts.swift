// Properties of random scripts.
//
// A script is an array of steps, and steps are values: a script that breaks a property can be run
// again, with steps removed or simplified, until no more can be removed. So that the remaining steps
// stay meaningful, a step never refers to a row or node that may not exist: it holds any
// number, which is taken modulo the current count when the step is run.
//
// A script that traps ends the process before it can be simplified. With
// `TRACE_SCRIPTS=1` in the environment each script is written to standard error before it is run,
// the last one being the one that trapped.

import Foundation
import Testing

/// A value with simpler forms, to which a failing script is reduced.
protocol Simplifiable: SendableMetatype {
    /// Some simpler values, the simplest first. Following any of them repeatedly
    /// must end.
    var simpler: [Self] { get }
}

extension Int: Simplifiable {
    var simpler: [Int] {
        if self < 0 { return [-self] }
        var result: [Int] = []
        for candidate in [0, self / 2, self - 1]
        where candidate >= 0 && candidate < self && !result.contains(candidate) {
            result.append(candidate)
        }
        return result
    }
}

extension Array: Simplifiable where Element: Simplifiable {
    var simpler: [[Element]] {
        var result: [[Element]] = []
        if count > 1 {
            result.append(Array(prefix(count / 2)))
            result.append(Array(suffix(count - count / 2)))
        }
        for index in indices {
            result.append(Array(self[..<index] + self[(index + 1)...]))
        }
        for index in indices {
            for element in self[index].simpler {
                var copy = self
                copy[index] = element
                result.append(copy)
            }
        }
        return result
    }
}

/// A step of a script.
struct StepGenerator<Step>: Sendable {
    /// A random step.
    let make: @Sendable (inout Seeded) -> Step
    /// Simpler forms of a step, the simplest first.
    let simpler: @Sendable (Step) -> [Step]

    init(
        _ make: @escaping @Sendable (inout Seeded) -> Step,
        simpler: @escaping @Sendable (Step) -> [Step]
    ) {
        self.make = make
        self.simpler = simpler
    }

    init(_ make: @escaping @Sendable (inout Seeded) -> Step) where Step: Simplifiable {
        self.init(make) { $0.simpler }
    }

    /// The script of a seed: up to `size` steps.
    func script(seed: Int, size: Int) -> [Step] {
        var random = Seeded(seed)
        return (0..<(1 + random.below(size))).map { _ in make(&random) }
    }
}

/// A script that breaks a property, but not with any step removed.
struct ScriptFailure<Step> {
    let seed: Int
    let script: [Step]
    let text: String
    /// The number of trials of the property during the reduction.
    let runs: Int

    var description: String {
        """
        \(text)
        seed \(seed), reduced in \(runs) runs to
        \(source(of: script))
        """
    }
}

/// Reduces a script as long as it fails: runs of steps are removed, from halves down to single ones,
/// then each step is simplified, until neither has an effect or the limit is reached.
private struct Reduction<Step> {
    let generator: StepGenerator<Step>
    let property: ([Step]) -> String?
    let limit: Int
    var script: [Step]
    var text: String
    var runs = 0

    /// Accepts the candidate as the script if it fails, too.
    private mutating func take(_ candidate: [Step]) -> Bool {
        guard runs < limit else { return false }
        runs += 1
        guard let text = property(candidate) else { return false }
        self.text = text
        script = candidate
        return true
    }

    mutating func run() {
        var hasProgressed = true
        while hasProgressed, runs < limit {
            hasProgressed = dropSteps()
            if simplifySteps() { hasProgressed = true }
        }
    }

    private mutating func dropSteps() -> Bool {
        var hasProgressed = false
        var length = max(1, script.count / 2)
        while length > 0 {
            var start = 0
            while start < script.count {
                let end = min(script.count, start + length)
                if take(Array(script[..<start] + script[end...])) {
                    hasProgressed = true
                } else {
                    start = end
                }
            }
            length /= 2
        }
        return hasProgressed
    }

    private mutating func simplifySteps() -> Bool {
        var hasProgressed = false
        var index = 0
        while index < script.count {
            let isSimpler = generator.simpler(script[index]).contains { step in
                var candidate = script
                candidate[index] = step
                return take(candidate)
            }
            if isSimpler { hasProgressed = true } else { index += 1 }
        }
        return hasProgressed
    }
}

/// The first seed whose script breaks the property, with the script reduced; `nil` if none does.
func firstFailure<Step>(
    of generator: StepGenerator<Step>, from seeds: Range<Int>, size: Int, runs limit: Int = 3000,
    _ property: ([Step]) -> String?
) -> ScriptFailure<Step>? {
    let isTraced = ProcessInfo.processInfo.environment["TRACE_SCRIPTS"] == "1"
    return withoutActuallyEscaping(property) { property in
        func run(_ script: [Step]) -> String? {
            if isTraced {
                FileHandle.standardError.write(Data("script \(source(of: script))\n".utf8))
            }
            return property(script)
        }
        for seed in seeds {
            let script = generator.script(seed: seed, size: size)
            guard let text = run(script) else { continue }
            var reduction = Reduction(
                generator: generator, property: run, limit: limit, script: script, text: text)
            reduction.run()
            return ScriptFailure(
                seed: seed, script: reduction.script, text: reduction.text, runs: reduction.runs)
        }
        return nil
    }
}

/// Expects that the property, which returns `nil` or the failure, holds for the scripts of all
/// seeds. The first script that breaks it is reduced and reported as Swift source. Returns whether
/// there was none.
@discardableResult
func checkScripts<Step>(
    of generator: StepGenerator<Step>, from seeds: Range<Int>, size: Int,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ property: ([Step]) -> String?
) -> Bool {
    guard let failure = firstFailure(of: generator, from: seeds, size: size, property) else {
        return true
    }
    Issue.record(Comment(rawValue: failure.description), sourceLocation: sourceLocation)
    return false
}

/// The first failure while a script runs, found by the script or by a sink.
final class Verdict {
    private(set) var failure: String?

    func expect(_ condition: Bool, _ what: @autoclosure () -> String, line: Int = #line) {
        if failure == nil, !condition { failure = "line \(line): \(what())" }
    }

    func expectEqual<Value: Equatable>(
        _ left: Value, _ right: Value, _ what: @autoclosure () -> String, line: Int = #line
    ) {
        expect(left == right, "\(what()): \(left) is not \(right)", line: line)
    }
}

/// The Swift source of a value of enums, arrays, optionals, numbers and strings.
func source(of value: Any) -> String {
    let mirror = Swift.Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .collection:
        return "[" + mirror.children.map { source(of: $0.value) }.joined(separator: ", ") + "]"
    case .set:
        return "["
            + mirror.children.map { source(of: $0.value) }.sorted().joined(separator: ", ") + "]"
    case .optional:
        return mirror.children.first.map { source(of: $0.value) } ?? "nil"
    case .enum:
        guard let payload = mirror.children.first, let name = payload.label else {
            return ".\(value)"
        }
        let parts = Swift.Mirror(reflecting: payload.value)
        guard parts.displayStyle == .tuple else {
            return ".\(name)(\(source(of: payload.value)))"
        }
        let arguments = parts.children.map { child in
            let label = child.label.flatMap { $0.hasPrefix(".") ? nil : "\($0): " } ?? ""
            return label + source(of: child.value)
        }
        return ".\(name)(\(arguments.joined(separator: ", ")))"
    default:
        return String(reflecting: value)
    }
}
