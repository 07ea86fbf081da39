// Starts programs.
//
// A child starts clean: it has only the given descriptors, no blocked signals (the loop blocks some, which
// children would inherit), the default action of each signal, and its own process group, so that all its
// descendants can be ended with it. The loop waits for its end.

import CLinux
import Glibc

/// A program to start.
package struct ChildProcess: Hashable, Sendable {
    /// The program's file; PATH is not searched.
    package var program: RawPath
    /// The arguments after the program's name.
    package var arguments: [String]
    /// Its complete environment.
    package var environment: [String: String]
    /// What it is told to be its own name; its path unless given.
    package var name: String?

    package init(
        _ program: RawPath, arguments: [String] = [], environment: [String: String] = [:],
        name: String? = nil
    ) {
        self.program = program
        self.name = name
        self.arguments = arguments
        self.environment = environment
    }

    /// Starts it with these descriptors as its standard input, output and error, and `other` as descriptor 3
    /// (borrowed: the caller closes its own). Returns its process id, which is also its process group.
    ///
    /// Arguments and variables end at their first NUL. A program that cannot be executed is an error here, not
    /// an exit later.
    package func start(
        input: Int32, output: Int32, error: Int32, other: Int32? = nil
    ) throws(SystemError) -> Int32 {
        // The actions and attributes are initialized before use and destroyed after; the pointers
        // are to local variables. C strings live until posix_spawn returns.
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        // Duplicates first, with higher numbers: a given number may be the target of another.
        var copies: [DescriptorBox] = []
        let passed = [input, output, error] + (other.map { [$0] } ?? [])
        for (target, given) in zip(Int32(0)..., passed) {
            let copy = try systemCall("duplicate a descriptor") { fcntl(given, F_DUPFD_CLOEXEC, 4) }
            copies.append(DescriptorBox(OwnedDescriptor(adopting: copy)))
            unsafe posix_spawn_file_actions_adddup2(&actions, copy, target)
        }
        // Our own descriptors are close-on-exec; inherited ones, and those opened by a library, may not be.
        unsafe clinux_spawn_close_from(&actions, Int32(passed.count))
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        unsafe sigfillset(&signals)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))

        var pid: Int32 = 0
        let variables = environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        let result = unsafe program.withCString { path in
            unsafe withCStrings([name ?? program.description] + arguments) { arguments in
                unsafe withCStrings(variables) { variables in
                    unsafe posix_spawn(&pid, path, &actions, &attributes, arguments, variables)
                }
            }
        }
        withExtendedLifetime(copies) {}
        // posix_spawn returns its error number, and does not set errno.
        if result != 0 {
            throw SystemError(
                ErrorNumber(rawValue: result), operation: "start", subject: program.description)
        }
        return pid
    }

    /// Sends a signal to a child's process group, which may be gone.
    package static func signal(_ signal: Int32, group: Int32) {
        precondition(group > 1, "0, 1 and negative numbers mean other processes than a child")
        _ = kill(-group, signal)
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
