import Glibc
import SystemInterface
import TestSupport
import Testing

@Suite("Starting programs")
struct ChildProcessTests {
    /// The output of a program, and its exit status from waitpid.
    private func run(
        _ program: String, _ arguments: [String], environment: [String: String] = [:]
    ) throws -> (output: String, status: Int32) {
        let folder = try TemporaryFolder()
        let output = try OwnedDescriptor.open(
            folder.rawPath("output"), flags: O_WRONLY | O_CREAT)
        let input = try OwnedDescriptor.open(RawPath("/dev/null"), flags: O_RDONLY)
        let child = ChildProcess(
            RawPath(program), arguments: arguments, environment: environment)
        let pid = try child.start(
            input: input.number, output: output.number, error: output.number)
        var status: Int32 = -1
        // The pointer is to a local variable that outlives the call.
        let waited = unsafe waitpid(pid, &status, 0)
        #expect(waited == pid)
        return (try folder.contents(of: "output"), status)
    }

    @Test("it gets its arguments and only the given environment")
    func argumentsAndEnvironment() throws {
        let result = try run(
            "/bin/sh", ["-c", "echo \"$0|$1|$A|$HOME|$2\"; exit 3", "zero", "a b", "é\n"],
            environment: ["A": "x=y"])
        #expect(result.output == "zero|a b|x=y||é\n\n")
        #expect(result.status == 3 << 8)
    }

    @Test("it has three descriptors, no blocked or ignored signals, and its own group")
    func clean() throws {
        var signals = sigset_t()
        // The pointers are to a local variable that outlives the calls.
        _ = unsafe sigemptyset(&signals)
        _ = unsafe sigaddset(&signals, SIGTERM)
        _ = unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        defer { _ = unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil) }
        // Number 3 is the folder that it lists.
        let descriptors = try run("/bin/ls", ["/proc/self/fd"]).output
        #expect(descriptors.split(separator: "\n") == ["0", "1", "2", "3"])

        let status = try run("/bin/grep", ["-E", "SigBlk|SigIgn", "/proc/self/status"]).output
        let words = status.split(whereSeparator: \.isWhitespace)
        try #require(words.count == 4)
        #expect(words[..<3] == ["SigBlk:", "0000000000000000", "SigIgn:"])
        // The C library reserves the signals 32 and 33.
        let ignored = try #require(UInt64(words[3], radix: 16))
        #expect(ignored & ~(3 << 31) == 0)

        // Process, name, state, parent, group, …
        let numbers = try run("/bin/cat", ["/proc/self/stat"]).output.split(separator: " ")
        try #require(numbers.count > 5)
        #expect(numbers[4] == numbers[0])
    }

    @Test("its group can be killed")
    func signal() throws {
        let null = try OwnedDescriptor.open(RawPath("/dev/null"), flags: O_RDWR)
        let child = ChildProcess(RawPath("/bin/sh"), arguments: ["-c", "sleep 60 & wait"])
        let pid = try child.start(input: null.number, output: null.number, error: null.number)
        ChildProcess.signal(SIGKILL, group: pid)
        var status: Int32 = -1
        // The pointer is to a local variable that outlives the call.
        _ = unsafe waitpid(pid, &status, 0)
        #expect(status == SIGKILL)
        ChildProcess.signal(SIGKILL, group: pid)
    }

    @Test("a program that cannot be executed is an error at once")
    func missing() throws {
        let error = #expect(throws: SystemError.self) {
            _ = try ChildProcess(RawPath("/nonexistent/x")).start(input: 0, output: 1, error: 2)
        }
        #expect(
            error?.description
                == "cannot start '/nonexistent/x': No such file or directory (ENOENT)")
    }
}
