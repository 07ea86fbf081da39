package import MessageBus
package import PickerClient
package import SystemInterface

// The bus on the loop of the client, and the end of a program that nobody calls.
//
// It ends in this order: the name is given back, calls that came under it before are handled, and then the program
// ends. A later call starts it anew.

/// Answers calls until none has come for a while.
package final class DesktopRun {
    private let bus: BusService
    private let loop: PollLoop
    private let desk: SearchDesk
    private let idle: Duration
    private var watch: PollWatch?
    private var busTimer: PollTimer?
    private var idleTimer: PollTimer?
    private var object: DesktopObject?
    private var isRefreshing = false
    private var isLost = false

    /// Answers nothing before it runs.
    ///
    /// - Parameters:
    ///   - bus: a connection that has the name.
    ///   - loop: the loop of the client.
    ///   - desk: the daemon.
    ///   - idle: the time without a call after which it ends.
    ///   - home: the user's folder.
    ///   - launch: starts a picker with words.
    ///   - log: tells what could not be done.
    package init(
        _ bus: BusService, on loop: PollLoop, desk: SearchDesk, idle: Duration, home: String?,
        launch: @escaping ([String]) -> Void, log: @escaping (String) -> Void
    ) {
        self.bus = bus
        self.loop = loop
        self.desk = desk
        self.idle = idle
        object = DesktopObject(
            on: desk, home: home, send: { [weak self] in self?.send($0) }, launch: launch, log: log)
    }

    /// Runs until the time without a call is over, or the bus is gone.
    package func run() throws(SystemError) {
        bus.onCall = { [weak self] call in
            self?.rest()
            self?.object?.take(call)
        }
        let number = try bus.descriptor
        watch = loop.watch(number, for: .readable) { [weak self] _ in self?.process() }
        rest()
        process()
        loop.run { isLost }
        idleTimer?.cancel()
        busTimer?.cancel()
        watch?.cancel()
        if !isLost { bus.flush() }
    }

    private func send(_ message: BusMessage) {
        bus.send(message)
        if isRefreshing { return }
        isRefreshing = true
        loop.atEndOfTurn { [weak self] in self?.refresh() }
    }

    private func process() {
        guard bus.process() else {
            isLost = true
            // The descriptor is closed with the bus.
            watch?.cancel()
            busTimer?.cancel()
            return
        }
        refresh()
    }

    /// Waits for what sd-bus waits for.
    private func refresh() {
        isRefreshing = false
        if isLost { return }
        let waits = bus.waits
        watch?.events = (waits.reading ? PollLoop.Events.readable : [])
            .union(waits.writing ? .writable : [])
        busTimer?.cancel()
        busTimer = waits.time.map { time in
            loop.schedule(after: time) { [weak self] in self?.process() }
        }
    }

    // MARK: The end

    /// Counts the time from now.
    private func rest() {
        idleTimer?.cancel()
        idleTimer = loop.schedule(after: idle) { [weak self] in self?.leave() }
    }

    private func leave() {
        if desk.isBusy { return rest() }
        bus.onCall = { [weak self] call in self?.object?.take(call) }
        bus.release(DesktopInterfaces.busName)
        repeat { process() } while !isLost && bus.waits.time == .zero
        endWhenAnswered()
    }

    private func endWhenAnswered() {
        if !desk.isBusy { return loop.stop() }
        loop.schedule(after: .milliseconds(10)) { [weak self] in self?.endWhenAnswered() }
    }
}
