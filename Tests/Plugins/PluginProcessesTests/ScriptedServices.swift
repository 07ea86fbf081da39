import EventLoops
import PluginProcesses
import ServiceLaunching
import SystemInterface
import TestSupport

@testable import TransientServices

/// A service manager that the test plays: each call is answered a turn later, as the test says.
final class ScriptedServices: PluginServices {
    typealias Done = UserServiceManager.Done

    /// The unit of the daemon, or why no manager answers.
    var identity: Result<String?, ServiceCallError> = .success("pickerd.service")
    /// Whether starts are accepted.
    var acceptance: Result<Void, ServiceCallError> = .success(())
    /// How starts go: `nil` for services that run. The last one is for all further starts.
    var starts: [Result<ServiceEnd?, ServiceCallError>] = [.success(nil)]
    /// The units that are there at first.
    var left: [String] = []
    var listing: ServiceCallError?
    /// Whether questions are not answered until `answerAll`.
    var isSlow = false
    private var withheld: [() -> Void] = []

    private(set) var identified = 0
    private(set) var started: [TransientService] = []
    /// Orders in their sequence, such as `stop pickerd-plugin-a-1.service`.
    private(set) var orders: [String] = []
    /// Those who wait for the end of a unit.
    private(set) var waiting: [(unit: String, done: Done<ServiceEnd>)] = []
    private let loop: FakeLoop

    init(_ loop: FakeLoop) { self.loop = loop }

    static func error(_ kind: ServiceCallError.Kind, _ operation: String) -> ServiceCallError {
        ServiceCallError(kind, CallSubject(operation: operation), message: "as the test says")
    }

    private func answer(_ answer: @escaping () -> Void) {
        if isSlow { withheld.append(answer) } else { loop.enqueue(answer) }
    }

    func answerAll() {
        isSlow = false
        let all = withheld
        withheld = []
        for each in all { each() }
    }

    /// All who wait for the end of a unit are told.
    func end(_ unit: String, _ end: Result<ServiceEnd, ServiceCallError>) {
        let told = waiting.filter { $0.unit == unit }
        waiting.removeAll { $0.unit == unit }
        for each in told { each.done(end) }
    }

    func identify(within time: Duration?, done: @escaping Done<ManagerIdentity>) {
        identified += 1
        answer { [self] in done(identity.map { ManagerIdentity(unit: $0) }) }
    }

    func start(
        _ service: TransientService, socket: borrowing OwnedDescriptor,
        output: borrowing OwnedDescriptor, done: @escaping Done<Void>
    ) {
        started.append(service)
        answer { [self] in done(acceptance) }
    }

    func awaitStart(of unit: String, done: @escaping Done<ServiceEnd?>) {
        let outcome = starts.count > 1 ? starts.removeFirst() : starts[0]
        answer { done(outcome) }
    }

    func end(of unit: String, done: @escaping Done<ServiceEnd>) { waiting.append((unit, done)) }

    func stop(_ unit: String, done: @escaping Done<Void>) { orders.append("stop \(unit)") }

    func kill(_ unit: String, done: @escaping Done<Void>) { orders.append("kill \(unit)") }

    func units(matching pattern: String, boundTo unit: String, done: @escaping Done<[String]>) {
        orders.append("list \(pattern) of \(unit)")
        answer { [self] in done(listing.map { .failure($0) } ?? .success(left)) }
    }
}
