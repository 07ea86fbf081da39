import SystemInterface
import Testing

@testable import TransientServices

@Suite("Descriptions of services")
struct ServiceTests {
    private func service() -> TransientService { DescriptorTests.service }

    private func values(_ service: TransientService) -> [String: UnitProperty.Value] {
        Dictionary(service.properties.map { ($0.name, $0.value) }) { first, _ in first }
    }

    @Test(
        "an address has a socket's path, whatever its bytes",
        arguments: [
            ("/run/user/1000/bus", "unix:path=/run/user/1000/bus"),
            ("/a b;c,d=e%f", "unix:path=/a%20b%3bc%2cd%3de%25f"),
            ("/ä*~\n", "unix:path=/%c3%a4%2a%7e%0a"),
        ])
    func addresses(_ path: String, _ address: String) {
        #expect(BusAddress.socket(at: RawPath(path)) == address)
    }

    @Test("bytes that are no text are in an address, too")
    func rawAddress() throws {
        let path = try #require(RawPath(bytes: [0x2F, 0xFF, 0x80]))
        #expect(BusAddress.socket(at: path) == "unix:path=/%ff%80")
    }

    @Test("what every service has")
    func always() {
        for level in [Sandbox.Level.full, .seccomp] {
            var service = service()
            service.sandbox = Sandbox(level: level, network: true, jit: true)
            let values = values(service)
            for name in [
                "NoNewPrivileges", "RestrictSUIDSGID", "RestrictRealtime", "LockPersonality",
            ] {
                #expect(values[name] == .flag(true), "\(name)")
            }
            #expect(values["MemorySwapMax"] == .size(0))
            #expect(values["OOMPolicy"] == .text("kill"))
            #expect(values["TimeoutStopUSec"] == .size(2_000_000))
            #expect(values["RestrictAddressFamilies"] == nil)
            #expect(values["PrivateNetwork"] == nil)
            #expect(values["MemoryDenyWriteExecute"] == nil)
            #expect(values["BindsTo"] == nil)
        }
    }

    @Test("a service without needs has no network, no new code and nothing to write to")
    func strict() {
        let values = values(service())
        #expect(values["PrivateNetwork"] == .flag(true))
        #expect(values["RestrictAddressFamilies"] == .allowed(["AF_UNIX"]))
        #expect(values["MemoryDenyWriteExecute"] == .flag(true))
        #expect(values["PrivateUsers"] == .flag(true))
        #expect(values["PrivateTmp"] == .flag(true))
        #expect(values["ProtectSystem"] == .text("strict"))
        #expect(values["ProtectHome"] == .text("read-only"))
        #expect(values["ReadWritePaths"] == .texts([]))
    }

    @Test("paths that are missing are passed over")
    func paths() {
        var service = service()
        service.sandbox.writablePaths = ["/home/a/Documents"]
        service.sandbox.hiddenPaths = ["/home/a/.ssh"]
        let values = values(service)
        #expect(values["ReadWritePaths"] == .texts(["-/home/a/Documents"]))
        #expect(values["InaccessiblePaths"] == .texts(["-/home/a/.ssh"]))
    }

    @Test("without user namespaces, nothing is left that needs them")
    func seccomp() {
        var service = service()
        service.sandbox.level = .seccomp
        service.sandbox.writablePaths = ["/home"]
        let names = service.properties.map(\.name)
        #expect(names.filter { $0.hasPrefix("Private") || $0.hasPrefix("Protect") } == [])
        #expect(!names.contains { $0.hasSuffix("Paths") || $0 == "CapabilityBoundingSet" })
        #expect(names.contains("MemoryDenyWriteExecute"))
        #expect(names.contains("RestrictAddressFamilies"))
        #expect(names.contains("SystemCallFilter"))
    }

    @Test("a service ends with the unit that it is bound to")
    func bound() {
        var service = service()
        service.boundUnit = "pickerd.service"
        #expect(values(service)["BindsTo"] == .texts(["pickerd.service"]))
        #expect(values(service)["After"] == .texts(["pickerd.service"]))
    }

    @Test("the command has the variables, in order, and the arguments, in which $ is no variable")
    func command() {
        var service = service()
        service.environment = ["B": "2 $A", "A": "1=1"]
        service.arguments = ["/bin/x", "$HOME", "%h", "a b", ""]
        guard case .command(let command)? = values(service)["ExecStart"] else {
            Issue.record("it has no command")
            return
        }
        #expect(command.first == "/bin/sh")
        #expect(
            command.suffix(8) == ["sh", "A=1=1", "B=2 $$A", "/bin/x", "$$HOME", "%h", "a b", ""])
        service.arguments = ["/a=b/x"]
        guard case .command(let detour)? = values(service)["ExecStart"] else { return }
        #expect(detour.suffix(4) == ["/usr/bin/nice", "-n", "0", "/a=b/x"])
    }

    @Test(
        "what cannot be is refused before the manager is asked",
        arguments: [
            ("name", "ends in .service"), ("long name", "up to 255 bytes"),
            ("relative", "'x' is not"),
            ("no program", "'' is not"), ("folder", "'.' is not"), ("writable", "'~' is not"),
            ("hidden", "'.ssh' is not"), ("variable", "'A=' cannot"), ("digit", "'1' cannot"),
            ("NUL", "NUL byte"), ("count", "more than 1024"), ("bytes", "more than 131072 bytes"),
            ("memory", "without memory"), ("line", "a control character is"),
        ])
    func refused(_ fault: String, _ words: String) {
        var service = service()
        switch fault {
        case "name": service.name = "pickerd.scope"
        case "long name": service.name = String(repeating: "x", count: 248) + ".service"
        case "relative": service.arguments = ["x"]
        case "no program": service.arguments = []
        case "folder": service.folder = "."
        case "writable": service.sandbox.writablePaths = ["~"]
        case "hidden": service.sandbox.hiddenPaths = [".ssh"]
        case "variable": service.environment = ["A=": ""]
        case "digit": service.environment = ["1": ""]
        case "NUL": service.arguments.append("a\u{0}b")
        case "count": service.arguments += Array(repeating: "", count: 1025)
        case "bytes": service.environment["A"] = String(repeating: "x", count: 131_072)
        case "line": service.description = "a\nExecStartPre=/bin/b"
        default: service.memoryBytes = 0
        }
        let error = #expect(throws: ServiceCallError.self) { try service.check() }
        #expect(error?.kind == .invalid)
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }

    @Test("a description without faults is none")
    func right() throws { try service().check() }
}
