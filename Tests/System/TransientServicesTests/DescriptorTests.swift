import EventLoops
import SystemInterface
import TestSupport
import Testing
import TransientServices

@Suite("Descriptors that a service is given")
struct DescriptorTests {
    static let service = TransientService(
        name: TransientService.name(plugin: "test", number: 1), description: "a test",
        arguments: ["/bin/true"], folder: "/", logIdentifier: "pickerd-test")

    @Test(
        "no copy is left when a start has failed",
        arguments: [
            FakeManager.Manner.silent, .letsIn(then: .silent), .letsIn(then: .closing),
            .refuses(name: "org.freedesktop.systemd1.UnitExists", message: "exists"),
        ])
    func noLeak(_ manner: FakeManager.Manner) throws {
        let test = try ManagerUnderTest(manner, limit: .milliseconds(200))
        var pair: (first: DescriptorBox, second: DescriptorBox)? = try UnixSocket.pair().boxed()
        let ours = try #require(pair?.first)
        var result: Result<Void, ServiceCallError>?
        if let other = pair?.second {
            test.client.start(
                Self.service, socket: other.descriptor, output: other.descriptor
            ) { result = $0 }
        }
        pair = nil
        #expect(result == nil)
        #expect(try test.run { result != nil })
        var buffer = [UInt8](repeating: 0, count: 1)
        // Another test that starts a process may hold a copy for a moment.
        #expect(try waitUntil { try ours.descriptor.read(into: &buffer) == .closed })
        if case .refuses = manner, case .failure(let error) = result {
            #expect(error.unit == Self.service.name)
            #expect(error.operation == "start")
        }
    }

    @Test("the request has the wrapper, the service's words, and where they begin")
    func request() throws {
        let test = try ManagerUnderTest(.refuses(name: "org.example.No", message: ""))
        let pair = try UnixSocket.pair()
        var result: Result<Void, ServiceCallError>?
        test.client.start(Self.service, socket: pair.first, output: pair.second) { result = $0 }
        #expect(try test.run { result != nil })
        let sent = String(decoding: test.fake?.received ?? [], as: UTF8.self)
        for word in [
            "StartTransientUnit", "pickerd-plugin-test-1.service",
            "exec 3<&0 </dev/null; exec /usr/bin/env -i \"$$@\"", "/bin/true",
            "StandardInputFileDescriptor", test.folder.path("bus"),
        ] {
            #expect(sent.contains(word), "\(word)")
        }
    }
}
