// `pickerctl events` against a bus by script.

import EventLoops
import Foundation
import SystemInterface
import TestSupport
import Testing

/// What came of a run.
struct EventsOutcome {
    let end: ProcessEnd
    let out: String
    let err: String

    /// The numbers of the events that were printed by `--json`.
    var numbers: [Int] { EventsBench.numbers(in: out) }
}

/// How a process ended.
enum ProcessEnd: Equatable {
    case exited(Int32)
    case killed(Int32)
    case running
}

struct EventsBench {
    let bench: Bench
    let bus: FakeBus

    init() throws {
        bench = try Bench()
        bus = FakeBus(bench.server)
    }

    var folder: TemporaryFolder { bench.folder }
    var state: String { bench.folder.path("state") }
    var remembered: String? { try? bench.folder.contents(of: "state") }

    /// What the state file holds for a place.
    static func file(_ place: String) -> String { "pickerctl events 1\n\(place)\n" }

    static func numbers(in text: String) -> [Int] {
        text.split(separator: "\n").compactMap { line in
            guard let start = line.range(of: "\"seq\":")?.upperBound else { return nil }
            return Int(line[start...].prefix { $0.isNumber })
        }
    }

    func start(_ arguments: [String], environment: [String: String] = [:]) throws -> SpawnedProcess
    {
        var variables = [
            "PICKERD_SOCKET": bench.server.path, "TZ": "UTC", "PATH": "/usr/bin:/bin",
            "HOME": folder.path("home"),
        ]
        variables.merge(environment) { $1 }
        return try SpawnedProcess(
            try SpawnedProcess.built("pickerctl"), ["events"] + arguments, environment: variables)
    }

    /// Starts it with the state file.
    func startSince(_ arguments: [String]) throws -> SpawnedProcess {
        try start(["--since", "last", "--state", state] + arguments)
    }

    /// The same, with its output, and that of what it starts, in a pipe.
    func startSince(_ arguments: [String], writingTo pipe: OutputPipe) throws -> SpawnedProcess {
        try SpawnedProcess(
            "/bin/sh",
            ["-c", "exec \"$@\" >'\(pipe.path)'", "sh", try SpawnedProcess.built("pickerctl")]
                + ["events", "--since", "last", "--state", state] + arguments,
            environment: ["PICKERD_SOCKET": bench.server.path, "PATH": "/usr/bin:/bin"])
    }

    /// Waits for its end while the loop serves it.
    func finish(_ process: SpawnedProcess) -> EventsOutcome {
        let hasEnded = bench.loop.reach { !process.isRunning }
        #expect(hasEnded, "it runs for ever")
        let end: ProcessEnd =
            switch process.waitForExit(within: .zero) {
            case .exited(let code): ProcessEnd.exited(code)
            case .killed(let signal): ProcessEnd.killed(signal)
            default: .running
            }
        return EventsOutcome(
            end: end, out: process.standardOutput, err: process.standardError)
    }

    func run(_ arguments: [String], environment: [String: String] = [:]) throws -> EventsOutcome {
        finish(try start(arguments, environment: environment))
    }

    func runSince(_ arguments: [String]) throws -> EventsOutcome {
        finish(try startSince(arguments))
    }

    func reach(_ condition: () -> Bool) -> Bool {
        bench.loop.reach(condition)
    }
}
