import Glibc
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
    private let portal: PortalDesk
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
    ///   - idle: the time without a call, and without a dialog, after which it ends.
    ///   - terminals: what starts pickers.
    ///   - environment: the variables.
    ///   - log: tells what could not be done.
    package init(
        _ bus: BusService, on loop: PollLoop, desk: SearchDesk, idle: Duration,
        in terminals: TerminalStarter, environment: [String: String],
        log: @escaping (String) -> Void
    ) {
        self.bus = bus
        self.loop = loop
        self.desk = desk
        self.idle = idle
        let launcher = PickerLauncher(in: terminals, log: log)
        let sender = Sender()
        let portal = PortalDesk(
            on: loop, in: terminals, environment: environment, send: { sender.send($0) }, log: log)
        self.portal = portal
        object = DesktopObject(
            on: desk, portal, home: environment["HOME"], send: { sender.send($0) },
            launch: { launcher.launch($0) }, log: log)
        sender.send = { [weak self] in self?.send($0) }
    }

    /// What sends, for objects that are made before this one is.
    private final class Sender {
        var send: (BusMessage) -> Void = { _ in }
    }

    private var isBusy: Bool { desk.isBusy || portal.isBusy }

    /// Runs until the time without a call is over, the bus is gone, or somebody asks for the end. All dialogs end with
    /// it.
    package func run() throws(SystemError) {
        bus.onCall = { [weak self] call in
            self?.rest()
            self?.object?.take(call)
        }
        let number = try bus.descriptor
        watch = loop.watch(number, for: .readable) { [weak self] _ in self?.process() }
        let request = DescriptorBox(try OwnedDescriptor.signal(SIGTERM))
        let ending = loop.watch(request.number, for: .readable) { [loop] _ in loop.stop() }
        rest()
        process()
        loop.run { isLost }
        portal.closeAll()
        ending.cancel()
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
        if isBusy { return rest() }
        portal.takesDialogs = false
        bus.onCall = { [weak self] call in self?.object?.take(call) }
        bus.release(DesktopInterfaces.busName)
        repeat { process() } while !isLost && bus.waits.time == .zero
        endWhenAnswered()
    }

    private func endWhenAnswered() {
        if !isBusy { return loop.stop() }
        loop.schedule(after: .milliseconds(10)) { [weak self] in self?.endWhenAnswered() }
    }
}
