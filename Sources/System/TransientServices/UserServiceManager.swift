// Services of the user's service manager: starts them, ends them, and asks how they ended.
//
// A process that pickerd starts itself is in its sandbox and its control group; a service has its own. The manager is
// asked at its own socket, or else over the user's bus. There is a connection only while calls are waiting: the
// manager tells a direct connection of each change of each unit, which would wake an idle daemon.

package import EventLoops
import MessageBus
package import SystemInterface

/// The user's service manager, as a client.
///
/// Nothing here blocks. Each `done` is called once, on the loop, and never from within the call that it was given to;
/// not at all if this object is released before.
package final class UserServiceManager {
    /// The most calls that wait at a time; further ones fail with `.tooManyCalls`.
    package static let mostCalls = 1024
    /// The most time for an answer, or for the end of a service.
    package static let limit = Duration.seconds(5)

    package typealias Done<Value> = (Result<Value, ServiceCallError>) -> Void

    let loop: any EventLoop
    let limit: Duration
    private let runtimeFolder: RawPath
    private var connection: BusConnection?
    private var waitingCalls = 0
    private var waits: [ObjectIdentifier: ServiceWait] = [:]

    /// A client of the manager whose sockets are in `runtimeFolder` ($XDG_RUNTIME_DIR). A `limit` other than the
    /// usual one is for tests.
    package init(
        loop: any EventLoop, runtimeFolder: RawPath, limit: Duration = UserServiceManager.limit
    ) {
        self.loop = loop
        self.runtimeFolder = runtimeFolder
        self.limit = limit
    }

    deinit {
        connection?.close()
    }

    /// Whether there is a connection, for tests.
    package var isConnected: Bool { connection != nil }

    // MARK: Services

    /// Whether a manager answers, and the service that this process is. Each of its two answers may take `time`, or
    /// the usual limit.
    /// - Throws: through `done`, `.unreachable` without a manager, `.timedOut` if it does not answer.
    package func identify(within time: Duration? = nil, done: @escaping Done<ManagerIdentity>) {
        let subject = CallSubject(operation: "reach the user's service manager")
        guard let done = admit(subject, done) else { return }
        let ask = BusMethod(name: "GetUnitByPID")
        // 0 is the sender, whatever its number is in the manager's view.
        call(subject, ask, { $0.append(UInt32(0)) }, within: time) { [weak self] answer in
            switch answer {
            case .success(let message):
                self?.readProperties(
                    subject, message.readText("o"), UnitState.properties, within: time
                ) { values in
                    done(values.map { ManagerIdentity(unit: Self.ownUnit(UnitState($0))) })
                }
            // It has an answer, if only this: the process is in none of its units.
            case .failure(let error) where error.isOfManager:
                done(.success(ManagerIdentity(unit: nil)))
            case .failure(let error): done(.failure(error))
            }
        }
    }

    /// The unit of this process, if it is its main process: a terminal may be a service, too.
    private static func ownUnit(_ state: UnitState) -> String? {
        state.mainProcess == CurrentProcess.pid ? state.name : nil
    }

    /// Starts a service. The program has `socket` as its descriptor 3, in both directions, and writes to `output` by
    /// its standard output and error; its standard input is empty. Both descriptors are borrowed.
    ///
    /// `done` is called when the manager has accepted it. It runs a moment later, or fails: `awaitStart` tells. The
    /// manager keeps its own copies of the descriptors until then, so their other ends are at their end when the
    /// service has ended, and not when the program has closed them.
    /// - Throws: through `done`, `.invalid` for a service that cannot be, `.refused` by the manager: for a name in
    ///   use, or while `boundUnit` is being stopped.
    package func start(
        _ service: TransientService, socket: borrowing OwnedDescriptor,
        output: borrowing OwnedDescriptor, done: @escaping Done<Void>
    ) {
        let subject = CallSubject(operation: "start", unit: service.name)
        guard let done = admit(subject, done) else { return }
        var service = service
        if !service.sandbox.sessionBus { service.sandbox.hiddenPaths += managerPaths }
        do { try service.check() } catch {
            return loop.enqueue { done(.failure(error)) }
        }
        let descriptors = TransientService.descriptors(socket: socket.number, output: output.number)
        call(subject, BusMethod(name: "StartTransientUnit")) { request in
            request.append(service.name)
            request.append("fail")
            request.append(service.properties + descriptors)
            request.container("a", "(sa(sv))") {}
        } done: {
            done($0.map { _ in () })
        }
    }

    /// The ways to the manager and to the user's bus: a program that finds them could start another without a sandbox.
    private var managerPaths: [String] {
        ["systemd", "bus"].map { "\(runtimeFolder)/\($0)" }
    }

    /// Stops a service: it is asked to end, and killed after two seconds, with all its processes. `done` is called
    /// when the manager has accepted it.
    package func stop(_ unit: String, done: @escaping Done<Void>) {
        order("stop", unit, "StopUnit", ["replace"], nil, done)
    }

    /// Kills all processes of a service at once.
    package func kill(_ unit: String, done: @escaping Done<Void>) {
        order("kill", unit, "KillUnit", ["all"], 9, done)
    }

    private func order(
        _ operation: String, _ unit: String, _ method: String, _ words: [String], _ number: Int32?,
        _ done: @escaping Done<Void>
    ) {
        let subject = CallSubject(operation: operation, unit: unit)
        guard let done = admit(subject, done) else { return }
        call(subject, BusMethod(name: method)) { request in
            request.append(unit)
            for word in words { request.append(word) }
            if let number { request.append(number) }
        } done: {
            done($0.map { _ in () })
        }
    }

    /// How a service ended, once it has; then the manager forgets it.
    /// - Throws: through `done`, `.timedOut` if it still runs after `limit`.
    package func end(of unit: String, done: @escaping Done<ServiceEnd>) {
        let subject = CallSubject(operation: "find the end of", unit: unit)
        guard let done = admit(subject, done) else { return }
        wait(for: .end, subject) { done($0.map { $0 ?? .forgotten }) }
    }

    /// `nil` once the program of a service that was accepted is executed; else how it ended, and then the manager
    /// forgets it.
    /// - Throws: through `done`, `.timedOut` if neither is so after `limit`.
    package func awaitStart(of unit: String, done: @escaping Done<ServiceEnd?>) {
        let subject = CallSubject(operation: "find the start of", unit: unit)
        guard let done = admit(subject, done) else { return }
        wait(for: .start, subject, done)
    }

    private func wait(
        for aim: ServiceWait.Aim, _ subject: CallSubject, _ done: @escaping Done<ServiceEnd?>
    ) {
        let wait = ServiceWait(self, subject, aim)
        let key = ObjectIdentifier(wait)
        waits[key] = wait
        wait.begin { [weak self] result in
            self?.waits[key] = nil
            done(result)
        }
    }

    // MARK: Calls

    /// Counts a call until its `done` is called; `nil` if there are too many, which `done` is told.
    func admit<Value>(
        _ subject: CallSubject, _ done: @escaping Done<Value>
    ) -> Done<Value>? {
        loop.preconditionOnLoop()
        guard waitingCalls < Self.mostCalls else {
            let error = ServiceCallError(
                .tooManyCalls, subject, message: "\(Self.mostCalls) calls are waiting")
            loop.enqueue { done(.failure(error)) }
            return nil
        }
        waitingCalls += 1
        return { [weak self] result in
            guard let self else { return }
            waitingCalls -= 1
            done(result)
            if waitingCalls == 0 { disconnect() }
        }
    }

    private func disconnect() {
        connection?.close()
        connection = nil
    }

    /// Calls a method of the manager, which has `time` to answer, or the usual limit. `done` is called later, once.
    func call(
        _ subject: CallSubject, _ method: BusMethod, _ write: (BusMessage) -> Void,
        within time: Duration? = nil, done: @escaping Done<BusMessage>
    ) {
        let limit = time ?? limit
        do throws(ServiceCallError) {
            let connection = try connect(subject)
            guard let request = connection.newCall(method) else {
                throw ServiceCallError(
                    .invalid, subject, message: "there is no memory for the call")
            }
            write(request)
            if request.failure < 0 {
                let code = ErrorNumber(rawValue: -request.failure)
                throw ServiceCallError(.invalid, subject, message: "cannot write the call: \(code)")
            }
            connection.call(request, limit: limit) { answer in
                done(answer.mapError { ServiceCallError($0, subject, limit) })
            }
        } catch { loop.enqueue { [weak self] in if self != nil { done(.failure(error)) } } }
    }

    private func connect(_ subject: CallSubject) throws(ServiceCallError) -> BusConnection {
        if let connection { return connection }
        let folder = runtimeFolder.bytes
        var reasons: [String] = []
        for (name, isBus) in [("systemd/private", false), ("bus", true)] {
            guard let path = RawPath(bytes: folder + Array("/\(name)".utf8)) else { continue }
            do throws(SystemError) {
                let made = try BusConnection(loop: loop, path: path, isBusClient: isBus)
                made.onSignal = { [weak self] in self?.handleSignal($0) }
                made.onLoss = { [weak self, weak made] in
                    if self?.connection === made { self?.connection = nil }
                }
                connection = made
                return made
            } catch { reasons.append(error.description) }
        }
        throw ServiceCallError(
            .unreachable, subject,
            message: "no service manager answers: " + reasons.joined(separator: ", "))
    }

    /// Makes the manager tell of changes of units. It tells a direct connection in any case; on a bus, both the bus
    /// and the manager are asked.
    func subscribe(_ subject: CallSubject) {
        guard let connection, connection.isBusClient, !connection.isSubscribed else { return }
        connection.isSubscribed = true
        let match = BusMethod(
            destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
            interface: "org.freedesktop.DBus", name: "AddMatch")
        // If one fails, nothing comes, and the limit of those that wait says so.
        call(subject, match) { request in
            request.append(
                "type='signal',sender='org.freedesktop.systemd1',"
                    + "path_namespace='/org/freedesktop/systemd1'")
        } done: { _ in
        }
        call(subject, BusMethod(name: "Subscribe"), { _ in }) { _ in }
    }

    /// The properties `names` of the unit that is the object `path`.
    func readProperties(
        _ subject: CallSubject, _ path: String?, _ names: Set<String>, within time: Duration? = nil,
        done: @escaping Done<[String: ReceivedValue]>
    ) {
        // Without an interface, all properties are in the answer, of one moment.
        let ask = BusMethod(
            path: path ?? "/", interface: "org.freedesktop.DBus.Properties", name: "GetAll")
        call(subject, ask, { $0.append("") }, within: time) { answer in
            done(
                answer.flatMap { message in
                    if let values = message.readProperties(names) { return .success(values) }
                    return .failure(
                        ServiceCallError(
                            .invalid, subject, message: "the manager's answer cannot be read"))
                })
        }
    }

    private func handleSignal(_ signal: BusMessage) {
        for wait in Array(waits.values) { wait.note(signal) }
    }
}
