import EventLoops
import SystemInterface
import TestSupport
import Testing
import TransientServices

/// What a sandbox keeps from a service, by a real service manager.
@Suite("Sandboxes of a real manager", .serialized, .enabled(if: LiveManager.isThere))
struct LiveSandboxTests {
    /// Prints the number of the error of each attempt, or 0.
    private static let attempts = """
        import ctypes, errno, mmap, socket, sys
        def attempt(name, deed):
            try: deed(); print(name, 0)
            except OSError as e: print(name, errno.errorcode[e.errno])
        def reach(path):
            socket.socket(socket.AF_UNIX, socket.SOCK_STREAM).connect(path)
        def unshare():
            c = ctypes.CDLL(None, use_errno=True)
            if c.unshare(0x10000000) < 0: raise OSError(ctypes.get_errno(), "")
        folder, manager = sys.argv[1:]
        attempt("write", lambda: open(folder + "/file", "w").write("text"))
        attempt("read", lambda: open(folder + "/given").read())
        attempt("tmp", lambda: open("/tmp/file", "w").write("text"))
        attempt("inet", lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM))
        attempt("netlink", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW))
        attempt("code", lambda: mmap.mmap(-1, 4096, prot=7))
        attempt("unshare", unshare)
        attempt("manager", lambda: reach(manager))
        for line in open("/proc/self/status"):
            if line.startswith(("Seccomp:", "NoNewPrivs:", "CapBnd:")): print(*line.split())
        """

    /// The results of all attempts, by name.
    private func results(_ sandbox: Sandbox, _ folder: HomeFolder) throws -> [String: String] {
        let test = try LiveManager()
        try folder.write("given", "text")
        var service = test.service([
            "/usr/bin/python3", "-c", Self.attempts, folder.path, LiveManager.socket,
        ])
        service.sandbox = sandbox
        let outcome = try test.outcome(service)
        var results: [String: String] = [:]
        for line in outcome.text.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            if words.count == 2 { results[words[0]] = words[1] } else { results[String(line)] = "" }
        }
        return results
    }

    @Test("without needs, it can read, and little else")
    func strict() throws {
        let folder = try HomeFolder("strict")
        let results = try results(Sandbox(), folder)
        #expect(
            results == [
                "write": "EROFS", "read": "0", "tmp": "0", "inet": "EAFNOSUPPORT",
                "netlink": "EAFNOSUPPORT", "code": "EPERM", "unshare": "EPERM",
                "manager": "EACCES", "NoNewPrivs:": "1", "Seccomp:": "2",
                "CapBnd:": "0000000000000000",
            ])
        #expect(folder.contents(of: "file") == nil)
    }

    @Test("what it needs, it can")
    func needs() throws {
        let folder = try HomeFolder("needs")
        let results = try results(
            Sandbox(
                network: true, writablePaths: [folder.path, "/nonexistent"],
                hiddenPaths: [folder.path + "/given", "/nonexistent"], sessionBus: true, jit: true),
            folder)
        #expect(
            results == [
                "write": "0", "read": "EACCES", "tmp": "0", "inet": "0", "netlink": "0",
                "code": "0", "unshare": "EPERM", "manager": "0", "NoNewPrivs:": "1",
                "Seccomp:": "2", "CapBnd:": "0000000000000000",
            ])
        #expect(folder.contents(of: "file") == "text")
    }

    @Test("the filters of system calls hold without user namespaces")
    func seccomp() throws {
        let folder = try HomeFolder("seccomp")
        var results = try results(Sandbox(level: .seccomp), folder)
        results["CapBnd:"] = nil
        #expect(
            results == [
                "write": "0", "read": "0", "tmp": "0", "inet": "EAFNOSUPPORT",
                "netlink": "EAFNOSUPPORT", "code": "EPERM", "unshare": "EPERM", "manager": "0",
                "NoNewPrivs:": "1", "Seccomp:": "2",
            ])
    }

    @Test("a program that compiles at run time works, if it may")
    func node() throws {
        let test = try LiveManager()
        var service = test.service([
            "/bin/sh", "-c",
            "command -v node >/dev/null || { echo 1048576; exit; }; "
                + "exec node -e 'let n = 0; for (let i = 0; i < 1048576; i++) n += 1; console.log(n)'",
        ])
        service.sandbox.jit = true
        service.memoryBytes = 512 << 20
        service.tasks = 64
        #expect(try test.outcome(service).text == "1048576\n")
    }
}
