import EventLoops
import Foundation
import Glibc
import SystemInterface
import SystemdEventLoop
import TestSupport
import TransientServices

/// A client of the real service manager, and services of it. `contrib/tests/services.sh` runs these tests where there
/// is one, and says so in the environment.
final class LiveManager {
    static let isThere = CurrentProcess.environment("PICKERD_TEST_SERVICES") != nil
    /// The unit that the tests run in; nil if they run in none.
    static let unit = CurrentProcess.environment("PICKERD_TEST_UNIT")
    static let home = CurrentProcess.environment("HOME") ?? "/"
    static let runtime =
        CurrentProcess.environment("PICKERD_TEST_RUNTIME")
        ?? CurrentProcess.environment("XDG_RUNTIME_DIR") ?? "/"
    /// The socket by which the tests reach the manager.
    static var socket: String {
        let own = runtime + "/systemd/private"
        return FileManager.default.fileExists(atPath: own) ? own : runtime + "/bus"
    }
    /// Names differ between tests.
    nonisolated(unsafe) private static var lastNumber = 0

    /// Whether services can be limited by a controller of control groups. One that is in use by a hierarchy of version
    /// 1 is in no other.
    static func has(_ controller: String) -> Bool {
        let file = try? String(contentsOfFile: "/sys/fs/cgroup/cgroup.controllers", encoding: .utf8)
        return file?.split { " \n".contains($0) }.contains { $0 == controller } ?? false
    }

    let loop: SystemdLoop
    let client: UserServiceManager

    init(limit: Duration = UserServiceManager.limit) throws {
        loop = try SystemdLoop()
        client = UserServiceManager(
            loop: loop, runtimeFolder: RawPath(Self.runtime), limit: limit)
    }

    /// The description of a service that runs a program.
    func service(_ arguments: [String]) -> TransientService {
        // The tests of the suite run one after another.
        let number = unsafe Self.lastNumber + 1
        unsafe Self.lastNumber = number
        let name = "\(CurrentProcess.pid)\(number)"
        return TransientService(
            name: TransientService.name(plugin: "test", number: Int(name) ?? number),
            description: "a test of pickerd", arguments: arguments, folder: "/",
            environment: ["PATH": "/usr/bin:/bin"], logIdentifier: "pickerd-test")
    }

    func shell(_ script: String) -> TransientService { service(["/bin/sh", "-c", script]) }

    func python(_ script: String) -> TransientService {
        service(["/usr/bin/python3", "-c", script])
    }

    /// What a call is answered.
    func answer<Value>(
        _ call: (@escaping UserServiceManager.Done<Value>) -> Void
    ) throws -> Result<Value, ServiceCallError>? {
        var result: Result<Value, ServiceCallError>?
        call { result = $0 }
        _ = try run { result != nil }
        return result
    }

    func run(until condition: () throws -> Bool) throws -> Bool {
        try waitUntil {
            while try loop.runOne(waitingAtMost: .zero) {}
            return try condition()
        }
    }

    /// Starts a service; its end is awaited by `end`.
    func start(_ service: TransientService) throws -> LiveService {
        let (ours, theirs) = try UnixSocket.pair().boxed()
        // A shell's `read` takes an empty socket that does not block for the end.
        try theirs.descriptor.setBlocking()
        let output = try LiveService.pipe()
        let result = try answer {
            client.start(
                service, socket: theirs.descriptor, output: output.second.descriptor, done: $0)
        }
        try result?.get()
        return LiveService(name: service.name, socket: ours, output: output.first)
    }

    func end(_ service: LiveService) throws -> ServiceEnd? {
        try answer { client.end(of: service.name, done: $0) }?.get()
    }

    /// All that a service writes until it ends, and its end.
    func outcome(_ service: TransientService) throws -> (text: String, end: ServiceEnd?) {
        let started = try start(service)
        let text = try started.allOutput()
        return (text, try end(started))
    }
}

/// A service that has been started.
struct LiveService {
    let name: String
    let socket: DescriptorBox
    let output: DescriptorBox

    static func pipe() throws -> (first: DescriptorBox, second: DescriptorBox) {
        var numbers: [Int32] = [-1, -1]
        // The call writes two numbers, and the array has two.
        let result = unsafe Glibc.pipe(&numbers)
        if result < 0 { throw SystemError(ErrorNumber(rawValue: errno), operation: "make a pipe") }
        let ends = numbers.map { DescriptorBox(OwnedDescriptor(adopting: $0)) }
        for end in ends { try end.descriptor.setCloseOnExec() }
        // The programs' end blocks, as programs expect.
        try ends[0].descriptor.setNonBlocking()
        return (ends[0], ends[1])
    }

    /// Reads until the text ends with `end`, or the other side is closed.
    static func read(_ box: DescriptorBox, until end: String?) throws -> String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        var bytes: [UInt8] = []
        _ = try waitUntil {
            switch try box.descriptor.read(into: &buffer) {
            case .bytes(let count): bytes += buffer[..<count]
            case .closed: return true
            case .wouldBlock: break
            }
            return end.map { bytes.reversed().starts(with: $0.utf8.reversed()) } ?? false
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    func allOutput() throws -> String { try Self.read(output, until: nil) }

    func line() throws -> String { try Self.read(socket, until: "\n") }

    func send(_ text: String) throws { _ = try socket.descriptor.send(Array(text.utf8)) }
}
