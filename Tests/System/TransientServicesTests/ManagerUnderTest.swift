import EventLoops
import SystemInterface
import SystemdEventLoop
import TestSupport
import TransientServices

/// A client with a runtime folder of its own, and a loop.
final class ManagerUnderTest {
    let loop: SystemdLoop
    let folder: TemporaryFolder
    private(set) var manager: UserServiceManager?
    private(set) var fake: FakeManager?

    /// The time for an answer that comes, and for one that doesn't.
    static let long = patience
    static let short = Duration.milliseconds(50)

    init(_ manner: FakeManager.Manner?, at name: String = "systemd/private", limit: Duration = long)
        throws
    {
        loop = try SystemdLoop()
        folder = try TemporaryFolder()
        manager = UserServiceManager(loop: loop, runtimeFolder: folder.rawPath, limit: limit)
        if let manner {
            fake = try FakeManager(loop, at: folder.rawPath(name), manner)
        }
    }

    var client: UserServiceManager {
        guard let manager else { preconditionFailure("the client has been released") }
        return manager
    }

    func release() { manager = nil }

    /// Runs the loop until `condition` holds; returns whether it held.
    func run(until condition: () -> Bool) throws -> Bool {
        try waitUntil {
            try loop.runOne(waitingAtMost: .zero)
            return condition()
        }
    }

    /// The error of a call to stop a service, once it has come.
    func errorOfStop(_ unit: String = "a.service") throws -> ServiceCallError? {
        var result: Result<Void, ServiceCallError>?
        client.stop(unit) { result = $0 }
        _ = try run { result != nil }
        if case .failure(let error)? = result { return error }
        return nil
    }
}
