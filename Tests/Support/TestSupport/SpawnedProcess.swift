// A program started by a test: its output goes to files, and its end is awaited by its id.

import Foundation
import Glibc

/// The end of a child process.
package enum ChildExit: Hashable, Sendable {
    case exited(code: Int32)
    case killed(signal: Int32)
}

/// A child process, killed and reaped in its deinit.
package final class SpawnedProcess {
    package enum Failure: Error {
        case cannotStart(program: String, code: Int32)
        case notBuilt(program: String)
    }

    package let pid: Int32
    private let output: TemporaryFolder
    private var result: ChildExit?

    /// Starts `program` (a path). Only the variables of `environment` are set; standard input is empty; no
    /// signal is blocked or ignored, whatever started the tests. The `passed` descriptors are 3, 4, … in the
    /// child.
    package init(
        _ program: String, _ arguments: [String] = [], environment: [String: String] = [:],
        passing passed: [Int32] = []
    ) throws {
        output = try TemporaryFolder()
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        // Both are initialized before use and destroyed after; the pointers are to local
        // variables. C strings are copied by posix_spawn or live until it returns.
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        for (number, name) in [(Int32(1), "stdout"), (2, "stderr")] {
            let flags = O_WRONLY | O_CREAT | O_APPEND
            unsafe posix_spawn_file_actions_addopen(
                &actions, number, output.path(name), flags, 0o600)
        }
        for (index, number) in passed.enumerated() {
            unsafe posix_spawn_file_actions_adddup2(&actions, number, 3 + Int32(index))
        }
        var noSignals = sigset_t()
        unsafe sigemptyset(&noSignals)
        unsafe posix_spawnattr_setsigmask(&attributes, &noSignals)
        // A shell that runs the tests in the background ignores SIGINT and SIGQUIT, and nohup ignores SIGHUP.
        var allSignals = sigset_t()
        unsafe sigfillset(&allSignals)
        unsafe posix_spawnattr_setsigdefault(&attributes, &allSignals)
        unsafe posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        let variables = environment.map { "\($0.key)=\($0.value)" }
        var started: Int32 = 0
        let code = unsafe withCStrings([program] + arguments) { arguments in
            unsafe withCStrings(variables) { variables in
                unsafe posix_spawn(&started, program, &actions, &attributes, arguments, variables)
            }
        }
        if code != 0 { throw Failure.cannotStart(program: program, code: code) }
        pid = started
    }

    deinit {
        if result == nil {
            _ = Glibc.kill(pid, SIGKILL)
            // The child is ours and about to end; its status is not needed.
            _ = waitpid(pid, nil, 0)
        }
    }

    package var standardOutput: String { (try? output.contents(of: "stdout")) ?? "" }
    package var standardError: String { (try? output.contents(of: "stderr")) ?? "" }

    package var isRunning: Bool { exitIfEnded() == nil }

    package func kill(_ signal: Int32) {
        if isRunning { _ = Glibc.kill(pid, signal) }
    }

    /// Waits for the end, up to `limit`; `nil` if it is still running then.
    package func waitForExit(within limit: Duration = patience) -> ChildExit? {
        _ = waitUntil(within: limit) { !isRunning }
        return exitIfEnded()
    }

    private func exitIfEnded() -> ChildExit? {
        if let result { return result }
        var status: Int32 = 0
        // The pointer is to a local variable that outlives the call.
        guard unsafe waitpid(pid, &status, WNOHANG) == pid else { return nil }
        let signal = status & 0x7f
        result = signal == 0 ? .exited(code: status >> 8 & 0xff) : .killed(signal: signal)
        return result
    }

    /// The path of a program that this package builds: next to the tests that run.
    package static func built(_ program: String) throws -> String {
        let arguments = ProcessInfo.processInfo.arguments
        var candidates = [Bundle.main.bundlePath]
        for argument in arguments where argument.contains("/") {
            candidates.append((argument as NSString).deletingLastPathComponent)
        }
        candidates.append(".build/debug")
        for folder in candidates {
            let path = "\(folder)/\(program)"
            if FileManager.default.isExecutableFile(atPath: path) { return path }
        }
        throw Failure.notBuilt(program: program)
    }
}

/// `strings` as a NULL-terminated array of C strings, for the length of the call.
private func withCStrings<Value>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Value
) -> Value {
    // strdup returns memory that we own until the free below.
    let copies = unsafe strings.map { unsafe strdup($0) }
    defer { unsafe copies.forEach { unsafe free($0) } }
    let terminated = unsafe copies + [nil]
    return unsafe terminated.withUnsafeBufferPointer {
        guard let start = $0.baseAddress else {
            preconditionFailure("an array of at least one element has an address")
        }
        return unsafe body(start)
    }
}
