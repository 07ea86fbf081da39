// Waits for the start or the end of a service.
//
// The manager is asked for the service's state, and again after each signal about it: a signal says when to ask, and
// nothing else is taken from it. Signals come in order with the answers, so none that matters is missed.

import EventLoops
import MessageBus
import SystemInterface

/// One request for the start or the end of a service.
final class ServiceWait {
    enum Aim {
        case start, end
    }

    private unowned let manager: UserServiceManager
    private let subject: CallSubject
    private let aim: Aim
    private var done: UserServiceManager.Done<ServiceEnd?>?
    private var timer: (any TimerSource)?
    /// The unit's object, once it is known.
    private var path: String?
    private var isAsking = false
    /// Whether something happened while the manager was asked.
    private var mustAskAgain = false

    init(_ manager: UserServiceManager, _ subject: CallSubject, _ aim: Aim) {
        self.manager = manager
        self.subject = subject
        self.aim = aim
    }

    /// Begins; `done` is called once, later: with its end, or with `nil` if it runs and only that was waited for.
    func begin(_ done: @escaping UserServiceManager.Done<ServiceEnd?>) {
        self.done = done
        do {
            timer = try manager.loop.schedule(after: manager.limit) { [weak self] in
                guard let self else { return }
                let error = ServiceCallError(
                    .timedOut, subject,
                    message: "it has not \(aim == .start ? "started" : "ended") within "
                        + "\(manager.limit)")
                finish(.failure(error))
            }
        } catch {
            let error = ServiceCallError(.invalid, subject, message: error.description)
            return manager.loop.enqueue { [weak self] in self?.finish(.failure(error)) }
        }
        ask()
    }

    private func ask() {
        guard done != nil else { return }
        if isAsking {
            mustAskAgain = true
            return
        }
        isAsking = true
        let method = BusMethod(name: "GetUnit")
        let name = subject.unit
        manager.call(subject, method, { $0.append(name) }) { [weak self] answer in
            self?.readState(answer)
        }
        // Asked for after the first call has made the connection: a connection that is lost ends this request.
        manager.subscribe(subject)
    }

    private func readState(_ answer: Result<BusMessage, ServiceCallError>) {
        switch answer {
        case .success(let message):
            path = message.readText("o")
            manager.readProperties(subject, path, UnitState.properties) { [weak self] values in
                self?.decide(values.map { UnitState($0) })
            }
        case .failure(let error) where error.isNoSuchUnit: finish(.success(.forgotten))
        case .failure(let error): finish(.failure(error))
        }
    }

    private func decide(_ answer: Result<UnitState, ServiceCallError>) {
        isAsking = false
        switch answer {
        case .failure(let error): finish(.failure(error))
        case .success(let state):
            if state.isFailed, state.isOver {
                forget(ServiceEnd(state))
            } else if state.isOver {
                finish(.success(ServiceEnd(state)))
            } else if aim == .start, state.wasActive {
                finish(.success(nil))
            } else if mustAskAgain {
                mustAskAgain = false
                ask()
            }
        }
    }

    /// Makes the manager forget the failed unit. That it fails means that it has been done.
    private func forget(_ end: ServiceEnd) {
        let method = BusMethod(name: "ResetFailedUnit")
        let name = subject.unit
        isAsking = true
        manager.call(subject, method, { $0.append(name) }) { [weak self] _ in
            self?.finish(.success(end))
        }
    }

    private func finish(_ result: Result<ServiceEnd?, ServiceCallError>) {
        timer?.cancel()
        timer = nil
        guard let done = done.take() else { return }
        done(result)
    }

    /// Looks at a signal of the manager, which may be about any unit.
    func note(_ signal: BusMessage) {
        switch signal.member {
        case "org.freedesktop.DBus.Properties.PropertiesChanged":
            // Before the path is known, nothing can be missed: the state is asked for after it.
            if signal.path == path { ask() }
        case "org.freedesktop.systemd1.Manager.UnitRemoved":
            signal.rewind()
            if signal.readText() == subject.unit { ask() }
        default: break
        }
    }
}
