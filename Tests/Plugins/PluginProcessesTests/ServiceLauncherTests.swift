import EventLoops
import Glibc
import JSONText
import SystemInterface
import TestSupport
import Testing

@testable import PluginProcesses
@testable import ServiceLaunching
@testable import TransientServices

@Suite("Plugins as services") struct ServiceLauncherTests {
    /// A launcher with a manager and children that the test plays.
    private final class Fixture {
        let loop = FakeLoop()
        let services: ScriptedServices
        let children = ScriptedChildren()
        private(set) var launcher: ServiceLauncher?
        private(set) var reports: [String] = []
        private(set) var ends: [PluginEnd] = []
        /// Our ends of the last socket and pipe.
        private(set) var socket: DescriptorBox?
        private(set) var output: DescriptorBox?

        init() {
            services = ScriptedServices(loop)
            launcher = ServiceLauncher(loop: loop, services: services, children: children) {
                [unowned self] in reports.append($0)
            }
        }

        func launch(_ more: String = "", caches: String? = nil) throws -> any LaunchedPlugin {
            let text = """
                {"id":"image","name":"Facts","version":"1","api":{"min":1,"max":1},\
                "exec":["./facts","-v"],"limits":{"memoryMiB":100,"tasks":7}\(more)}
                """
            let manifest = try ProcessManifest(reading: Array(text.utf8))
            var environment = ["HOME": "/home/ann", "PICKERD_API": "1"]
            environment["XDG_CACHE_HOME"] = caches
            let launch = PluginLaunch(
                plugin: "image", folder: "/plugins/image", command: manifest.exec,
                environment: environment, limits: manifest.limits,
                needs: manifest.needs, roots: ["/home/ann/Documents", "/data"])
            let pair = try UnixSocket.pair().boxed()
            let pipe = try OwnedDescriptor.pipe().boxed()
            socket = pair.first
            output = pipe.first
            return try #require(launcher).launch(launch, socket: pair.second, output: pipe.second) {
                [unowned self] in ends.append($0)
            }
        }

        /// Whether the other ends of socket and pipe are closed on this side.
        func areReleased() throws -> Bool {
            var buffer: [UInt8] = [0]
            let ends = try #require(socket.flatMap { socket in output.map { (socket, $0) } })
            return try ends.0.descriptor.read(into: &buffer) == .closed
                && ends.1.descriptor.read(into: &buffer) == .closed
        }

        func unit(_ number: Int) -> String { "pickerd-plugin-image-\(number).service" }
    }

    /// Starts nothing: a child is what the test says.
    private final class ScriptedChildren: PluginLauncher {
        final class Child: LaunchedPlugin {
            var pid: Int? { 4711 }
            var unit: String? { nil }
            var sandbox: String? { "inherited" }
            var endings = 0
            var tell: (PluginEnd) -> Void = { _ in }

            func end() { endings += 1 }
            func connectionEnded() {}
        }

        var last: Child?

        func launch(
            _ launch: PluginLaunch, socket: DescriptorBox, output: DescriptorBox,
            ended: @escaping (PluginEnd) -> Void
        ) -> any LaunchedPlugin {
            let child = Child()
            child.tell = ended
            last = child
            return child
        }
    }

    /// The number of the first unit of a launcher that is made at the loop's first moment.
    private static let first = 1_700_000_001_001

    @Test("a plugin runs in a unit that is bound to the daemon's, with its own limits and needs")
    func service() throws {
        let fixture = Fixture()
        let plugin = try fixture.launch(
            #","needs":{"network":true,"write":["roots","/srv/x"],"jit":true}"#)
        #expect(plugin.unit == nil && plugin.sandbox == nil && plugin.pid == nil)
        #expect(try !fixture.areReleased())
        fixture.loop.turn()
        #expect(plugin.unit == fixture.unit(Self.first))
        #expect(plugin.sandbox == "full")
        #expect(plugin.pid == nil)
        #expect(try fixture.areReleased())
        let service = try #require(fixture.services.started.first)
        #expect(service.name == plugin.unit)
        #expect(service.arguments == ["/plugins/image/facts", "-v"])
        #expect(service.folder == "/plugins/image")
        #expect(service.environment == ["HOME": "/home/ann", "PICKERD_API": "1"])
        #expect(service.boundUnit == "pickerd.service")
        #expect(service.memoryBytes == 100 << 20)
        #expect(service.tasks == 7)
        #expect(
            service.sandbox
                == Sandbox(
                    level: .full, network: true,
                    writablePaths: ["/home/ann/Documents", "/data", "/srv/x"],
                    hiddenPaths: ["/home/ann/.ssh", "/home/ann/.gnupg"], jit: true))
        try service.check()
        #expect(fixture.reports.isEmpty)
        _ = try fixture.launch()
        fixture.loop.turn()
        let second = try #require(fixture.services.started.last)
        #expect(second.name == fixture.unit(Self.first + 1))
        #expect(!second.sandbox.network && !second.sandbox.jit)
        #expect(second.sandbox.writablePaths.isEmpty)
    }

    @Test(
        "what it writes below the user's caches is where these are",
        arguments: [
            (nil, "/home/ann/.cache/shots/a"), ("caches", "/home/ann/.cache/shots/a"),
            ("/var/caches", "/var/caches/shots/a"),
        ])
    func caches(_ folder: String?, _ expected: String) throws {
        let fixture = Fixture()
        _ = try fixture.launch(#","needs":{"write":["cache/shots/a"]}"#, caches: folder)
        fixture.loop.turn()
        let service = try #require(fixture.services.started.first)
        #expect(service.sandbox.writablePaths == [expected])
        try service.check()
    }

    @Test(
        "the end of its connection asks for its end, which is told in the words of a child",
        arguments: [
            (.exited(3), "exit:3"), (.killed(SIGSEGV), "signal:11"), (.outOfMemory, "oom"),
            (.forgotten, "exit:0"), (.timedOut, "signal:9"),
            (.startFailed(status: 127), "exit:127"),
        ] as [(ServiceEnd, String)])
    func ends(_ end: ServiceEnd, _ reason: String) throws {
        let fixture = Fixture()
        let plugin = try fixture.launch()
        fixture.loop.turn()
        #expect(fixture.services.waiting.isEmpty)
        plugin.connectionEnded()
        plugin.connectionEnded()
        #expect(fixture.services.waiting.map(\.unit) == [fixture.unit(Self.first)])
        fixture.services.end(fixture.unit(Self.first), .success(end))
        #expect(fixture.ends.map(\.reason) == [reason])
        #expect(plugin.unit == nil && plugin.sandbox == nil)
        #expect(!fixture.services.orders.contains { $0.hasPrefix("stop") })
        plugin.end()
        #expect(fixture.services.waiting.isEmpty)
    }

    @Test("it is stopped when it is told to end, and its end is asked for once")
    func stop() throws {
        let fixture = Fixture()
        let plugin = try fixture.launch()
        fixture.loop.turn()
        plugin.end()
        plugin.connectionEnded()
        #expect(fixture.services.orders.last == "stop \(fixture.unit(Self.first))")
        #expect(fixture.services.waiting.count == 1)
        fixture.services.end(fixture.unit(Self.first), .success(.forgotten))
        #expect(fixture.ends.count == 1)
    }

    @Test("one that is told to end before the manager has answered is never started")
    func endBeforeAnswer() throws {
        let fixture = Fixture()
        fixture.services.isSlow = true
        let plugin = try fixture.launch()
        plugin.end()
        #expect(fixture.ends.isEmpty)
        fixture.loop.turn()
        #expect(fixture.ends == [.killed(signal: SIGTERM)])
        #expect(try fixture.areReleased())
        fixture.services.answerAll()
        fixture.loop.turn()
        #expect(fixture.services.started.isEmpty)
        #expect(fixture.ends.count == 1)
    }

    @Test("one that is told to end while it starts is stopped as soon as it runs")
    func endWhileStarting() throws {
        let fixture = Fixture()
        let plugin = try fixture.launch()
        while fixture.services.started.isEmpty { fixture.loop.runOne() }
        plugin.end()
        #expect(!fixture.services.orders.contains { $0.hasPrefix("stop") })
        fixture.loop.turn()
        #expect(fixture.services.orders.last == "stop \(fixture.unit(Self.first))")
    }

    @Test("a start that the manager refuses is told, and so is one that fails")
    func refused() throws {
        let fixture = Fixture()
        fixture.services.acceptance = .failure(ScriptedServices.error(.refused, "start"))
        let plugin = try fixture.launch()
        fixture.loop.turn()
        #expect(fixture.ends.map(\.reason) == ["start: cannot start: as the test says"])
        #expect(try fixture.areReleased())
        plugin.end()
        #expect(!fixture.services.orders.contains { $0.hasPrefix("stop") })

        fixture.services.acceptance = .success(())
        fixture.services.starts = [.success(.startFailed(status: 200))]
        _ = try fixture.launch()
        fixture.loop.turn()
        #expect(fixture.ends.last?.reason.contains("status 200") == true)
        #expect(fixture.services.started.count == 2)
        #expect(try fixture.areReleased())
        #expect(fixture.children.last == nil)
    }

    @Test(
        "a start of which nobody knows is taken back, and nothing is left of it",
        arguments: [false, true])
    func doubtful(_ isAccepted: Bool) throws {
        let fixture = Fixture()
        let lost = ScriptedServices.error(isAccepted ? .timedOut : .connectionLost, "start")
        if isAccepted {
            fixture.services.starts = [.failure(lost)]
        } else {
            fixture.services.acceptance = .failure(lost)
        }
        _ = try fixture.launch()
        fixture.loop.turn()
        let unit = fixture.unit(Self.first)
        #expect(fixture.services.orders.last == "stop \(unit)")
        #expect(fixture.ends.isEmpty)
        fixture.services.end(unit, .success(.forgotten))
        #expect(fixture.ends.map(\.reason) == ["start: cannot start: as the test says"])
    }

    @Test("a manager that does not tell the end is asked three times; the unit is looked for later")
    func unknownEnd() throws {
        let fixture = Fixture()
        let plugin = try fixture.launch()
        fixture.loop.turn()
        let unit = fixture.unit(Self.first)
        plugin.connectionEnded()
        for _ in 0..<3 {
            #expect(fixture.ends.isEmpty)
            fixture.services.end(unit, .failure(ScriptedServices.error(.timedOut, "find")))
        }
        #expect(fixture.ends == [.unknown])
        #expect(fixture.services.orders.filter { $0 == "kill \(unit)" }.count == 2)
        fixture.services.left = [unit]
        _ = try fixture.launch()
        fixture.loop.turn()
        #expect(fixture.services.orders.last == "stop \(unit)")
        #expect(fixture.services.waiting.map(\.unit) == [unit])
    }

    @Test("where user namespaces are forbidden, it does without them, and so do all later ones")
    func noNamespaces() throws {
        let fixture = Fixture()
        fixture.services.starts = [.success(.startFailed(status: 217)), .success(nil)]
        let plugin = try fixture.launch()
        fixture.loop.turn()
        #expect(fixture.services.started.map(\.sandbox.level) == [.full, .seccomp])
        #expect(plugin.sandbox == "seccomp")
        #expect(plugin.unit == fixture.unit(Self.first + 1))
        #expect(fixture.ends.isEmpty)
        _ = try fixture.launch()
        fixture.loop.turn()
        #expect(fixture.services.started.map(\.sandbox.level) == [.full, .seccomp, .seccomp])
        #expect(fixture.reports.count == 1)

        fixture.services.starts = [.success(.startFailed(status: 217))]
        _ = try fixture.launch()
        fixture.loop.turn()
        #expect(fixture.services.started.count == 4)
        #expect(fixture.ends.count == 1)
    }

    @Test("without a manager it is a child, which is said once, and again after there was one")
    func children() throws {
        let fixture = Fixture()
        fixture.services.identity = .failure(ScriptedServices.error(.unreachable, "reach it"))
        let plugin = try fixture.launch()
        #expect(fixture.children.last == nil)
        fixture.loop.turn()
        let child = try #require(fixture.children.last)
        #expect(plugin.pid == 4711 && plugin.unit == nil && plugin.sandbox == "inherited")
        #expect(fixture.services.started.isEmpty)
        #expect(try fixture.areReleased())
        plugin.end()
        #expect(child.endings == 1)
        child.tell(.exited(1))
        #expect(fixture.ends == [.exited(1)])
        #expect(plugin.pid == nil)
        _ = try fixture.launch()
        fixture.loop.turn()
        #expect(fixture.reports.count == 1)

        fixture.services.identity = .success("pickerd.service")
        #expect(try fixture.launch().unit == nil)
        fixture.loop.turn()
        #expect(fixture.services.started.count == 1)
        fixture.services.identity = .success(nil)
        _ = try fixture.launch()
        fixture.loop.turn()
        #expect(fixture.services.started.count == 1)
        #expect(fixture.reports.count == 2)
        #expect(fixture.reports.last?.contains("no service of the user's") == true)
    }

    @Test("units that an earlier daemon has left are ended, and its own are not")
    func left() throws {
        let fixture = Fixture()
        let unit = "pickerd-plugin-image-1.service"
        fixture.services.left = [unit, fixture.unit(Self.first)]
        _ = try fixture.launch()
        fixture.loop.turn()
        #expect(
            fixture.services.orders == [
                "list pickerd-plugin-*.service of pickerd.service", "stop \(unit)",
            ])
        #expect(fixture.services.waiting.map(\.unit) == [unit])
        fixture.services.end(unit, .success(.forgotten))
        _ = try fixture.launch()
        fixture.loop.turn()
        #expect(fixture.services.orders.count == 2)
        #expect(fixture.reports.count == 1)

        let idle = Fixture()
        idle.services.left = [unit]
        idle.loop.turn()
        #expect(idle.services.orders.last == "stop \(unit)")

        let byHand = Fixture()
        byHand.services.identity = .success(nil)
        byHand.loop.turn()
        #expect(byHand.services.orders.isEmpty)
    }
}
