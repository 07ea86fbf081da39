import EventLoops
import SystemInterface
import SystemdEventLoop
import TestSupport
import Testing
import TransientServices

@Suite("Calls to the user's service manager")
struct ConnectionTests {
    @Test("without a manager, the error names both sockets")
    func missing() throws {
        let test = try ManagerUnderTest(nil)
        let error = try test.errorOfStop("a.service")
        #expect(error?.kind == .unreachable)
        let text = error?.description ?? ""
        #expect(text.hasPrefix("cannot stop 'a.service': no service manager answers: "))
        #expect(text.contains(test.folder.path("systemd/private")))
        #expect(text.contains(test.folder.path("bus")))
    }

    @Test("a path that is too long for a socket is an error")
    func longPath() throws {
        let loop = try SystemdLoop()
        let folder = RawPath("/" + String(repeating: "x", count: 200))
        let manager = UserServiceManager(loop: loop, runtimeFolder: folder)
        var result: Result<ManagerIdentity, ServiceCallError>?
        manager.identify { result = $0 }
        #expect(result == nil)
        let isAnswered = try waitUntil {
            try loop.runOne(waitingAtMost: .zero)
            return result != nil
        }
        #expect(isAnswered)
        guard case .failure(let error)? = result else {
            Issue.record("there is no manager")
            return
        }
        #expect(error.kind == .unreachable)
        #expect(error.unit.isEmpty)
    }

    @Test("a manager that lets nobody in times out, and its connection is given up")
    func silentAtTheDoor() throws {
        let test = try ManagerUnderTest(.silent, limit: ManagerUnderTest.short)
        let error = try test.errorOfStop()
        #expect(error?.kind == .timedOut)
        #expect(!test.client.isConnected)
        #expect(test.fake?.connections == 1)
    }

    @Test("a manager that never answers times out")
    func silent() throws {
        let test = try ManagerUnderTest(.letsIn(then: .silent), limit: ManagerUnderTest.short)
        let error = try test.errorOfStop()
        #expect(error?.kind == .timedOut)
        #expect(error?.description == "cannot stop 'a.service': no answer came within 0.05 seconds")
    }

    @Test(
        "a connection that ends or is no D-Bus fails all calls",
        arguments: [
            FakeManager.Manner.closing, .garbage, .letsIn(then: .closing), .letsIn(then: .garbage),
        ])
    func lost(_ manner: FakeManager.Manner) throws {
        let test = try ManagerUnderTest(manner)
        var kinds: [ServiceCallError.Kind] = []
        for number in 0..<3 {
            test.client.kill("\(number).service") { result in
                if case .failure(let error) = result { kinds.append(error.kind) }
            }
        }
        test.client.end(of: "b.service") { result in
            if case .failure(let error) = result { kinds.append(error.kind) }
        }
        #expect(kinds.isEmpty)
        #expect(try test.run { kinds.count == 4 })
        #expect(kinds == Array(repeating: .connectionLost, count: 4))
        #expect(!test.client.isConnected)
    }

    @Test("after a lost connection, the next call makes another")
    func again() throws {
        let test = try ManagerUnderTest(.letsIn(then: .closing))
        #expect(try test.errorOfStop()?.kind == .connectionLost)
        test.fake?.manner = .refuses(name: "org.example.No", message: "not now")
        #expect(try test.errorOfStop()?.name == "org.example.No")
        #expect(test.fake?.connections == 2)
    }

    @Test("a refusal has the manager's words, and the unit", arguments: ["systemd/private", "bus"])
    func refused(_ socket: String) throws {
        let name = "org.freedesktop.systemd1.NoSuchUnit"
        let test = try ManagerUnderTest(
            .refuses(name: name, message: "Unit a.service not loaded."), at: socket)
        let error = try test.errorOfStop()
        #expect(error?.kind == .refused)
        #expect(
            error?.description == "cannot stop 'a.service': Unit a.service not loaded. (\(name))")
        var end: Result<ServiceEnd, ServiceCallError>?
        test.client.end(of: "a.service") { end = $0 }
        #expect(try test.run { end != nil })
        #expect(end == .success(.forgotten))
    }

    @Test("a process in no unit has a manager all the same")
    func identityWithoutUnit() throws {
        let name = "org.freedesktop.systemd1.NoUnitForPID"
        let test = try ManagerUnderTest(.refuses(name: name, message: "no"))
        var result: Result<ManagerIdentity, ServiceCallError>?
        test.client.identify { result = $0 }
        #expect(try test.run { result != nil })
        #expect(try result?.get().unit == .some(nil))
    }

    @Test("a call that is made because one has failed is made on another connection")
    func retry() throws {
        let test = try ManagerUnderTest(.letsIn(then: .closing))
        var second: Result<Void, ServiceCallError>?
        test.client.stop("a.service") { _ in
            test.fake?.manner = .refuses(name: "org.example.No", message: "")
            test.client.stop("b.service") { second = $0 }
        }
        #expect(try test.run { second != nil })
        guard case .failure(let error)? = second else { return }
        #expect(error.kind == .refused)
    }

    @Test("there is a connection only while a call waits")
    func idle() throws {
        let test = try ManagerUnderTest(.refuses(name: "org.example.No", message: ""))
        #expect(!test.client.isConnected)
        var answers = 0
        test.client.stop("a.service") { _ in answers += 1 }
        #expect(test.client.isConnected)
        test.client.stop("b.service") { _ in answers += 1 }
        #expect(try test.run { answers == 2 })
        #expect(!test.client.isConnected)
        #expect(test.fake?.connections == 1)
    }

    @Test("the call after the last that may wait is refused")
    func tooMany() throws {
        let test = try ManagerUnderTest(.silent, limit: ManagerUnderTest.short)
        var kinds: [ServiceCallError.Kind] = []
        func call() {
            test.client.kill("a.service") { result in
                if case .failure(let error) = result { kinds.append(error.kind) }
            }
        }
        for _ in 0..<UserServiceManager.mostCalls { call() }
        call()
        #expect(try test.run { !kinds.isEmpty })
        #expect(kinds == [.tooManyCalls])
        #expect(try test.run { kinds.count == UserServiceManager.mostCalls + 1 })
        #expect(test.fake?.connections == 1)
        #expect(try test.errorOfStop()?.kind == .timedOut)
    }

    @Test("a client that is released answers nothing, and keeps nothing", arguments: [true, false])
    func released(_ isLetIn: Bool) throws {
        let test = try ManagerUnderTest(isLetIn ? .letsIn(then: .silent) : .silent)
        let count = LifetimeCount()
        do {
            let token = count.token()
            test.client.stop("a.service") { _ in
                Issue.record("answered")
                token.touch()
            }
            test.client.end(of: "a.service") { _ in
                Issue.record("answered")
                token.touch()
            }
        }
        #expect(try test.run { test.fake?.received.isEmpty == false })
        #expect(count.alive == 1)
        test.release()
        #expect(count.alive == 0)
    }
}
