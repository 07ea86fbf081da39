// A connection to the user's service manager, by D-Bus, on our loop.
//
// sd-bus is given the socket's readiness and its own timeouts, and never waits: a call is handed to it only when the
// connection is ready, as sending descriptors before would wait for the manager. What it calls back with is kept, and
// delivered when it has returned: no handler runs inside of sd-bus, so each may make calls and close the connection.

import CSystemd
import EventLoops
import Glibc
import MessageBus
import SystemInterface

/// A connection with its waiting calls. Used until it is lost, or closed.
@safe final class BusConnection {
    /// The most messages that are handled before other handlers of the loop have a turn.
    private static let mostAtOnce = 64

    let isBusClient: Bool
    /// Called for each signal.
    var onSignal: ((BusMessage) -> Void)?
    /// Called when the manager has closed the connection, before its calls fail.
    var onLoss: (() -> Void)?

    private let loop: any EventLoop
    private let bus: OpaquePointer
    private var filter: OpaquePointer?
    private var watch: (any IOSource)?
    private var timer: (any TimerSource)?
    private var calls: [UInt64: BusCall] = [:]
    private var lastNumber: UInt64 = 0
    /// The calls to be sent once the connection is ready.
    private var unsent: [BusCall] = []
    private var answered: [BusCall] = []
    private var signals: [BusMessage] = []
    private(set) var isClosed = false
    /// Whether signals have been asked for, on a bus.
    var isSubscribed = false

    /// Connects to the socket at `path`: a bus, or the manager itself. Does not wait; an error may come later.
    init(
        loop: any EventLoop, path: RawPath, isBusClient: Bool
    ) throws(SystemError) {
        self.loop = loop
        self.isBusClient = isBusClient
        var created: OpaquePointer?
        // The pointer is to a local variable; on success it holds a reference that we own.
        let result = unsafe sd_bus_new(&created)
        guard result >= 0, let created = unsafe created else {
            throw SystemError(ErrorNumber(rawValue: -result), operation: "make a connection")
        }
        unsafe bus = created
        // The deinit releases the bus and the filter, also if one of these calls fails.
        let address = BusAddress.socket(at: path)
        try check(unsafe sd_bus_set_address(bus, address), path)
        try check(unsafe sd_bus_set_bus_client(bus, isBusClient ? 1 : 0), path)
        // The user data is this object, which owns the filter, and so outlives it.
        try check(
            unsafe sd_bus_add_filter(
                bus, &filter,
                { message, userdata, _ in
                    guard let message = unsafe message, let userdata = unsafe userdata else {
                        return 0
                    }
                    let connection = unsafe Unmanaged<BusConnection>.fromOpaque(userdata)
                        .takeUnretainedValue()
                    connection.signals.append(unsafe BusMessage(retaining: message))
                    return 0
                }, Unmanaged.passUnretained(self).toOpaque()), path)
        try check(unsafe sd_bus_start(bus), path)
        let number = try check(unsafe sd_bus_get_fd(bus), path)
        watch = try loop.watch(number, for: .readable) { [weak self] _ in self?.process() }
        timer = try loop.schedule(after: .zero) { [weak self] in self?.process() }
        update()
    }

    @discardableResult
    private func check(_ result: Int32, _ path: RawPath) throws(SystemError) -> Int32 {
        if result >= 0 { return result }
        throw SystemError(
            ErrorNumber(rawValue: -result), operation: "connect to", subject: path.description)
    }

    deinit {
        // The source before the descriptor. The calls' slots, too, hold references to the bus.
        watch?.cancel()
        timer?.cancel()
        if let filter = unsafe filter { _ = unsafe sd_bus_slot_unref(filter) }
        // Our own reference, released only here.
        _ = unsafe sd_bus_close_unref(bus)
    }

    // MARK: Calls

    /// A call to be written; `nil` without memory.
    func newCall(_ method: BusMethod) -> BusMessage? {
        var created: OpaquePointer?
        // The bus is ours; the strings are C strings for the length of the call, which copies them.
        let result = unsafe sd_bus_message_new_method_call(
            bus, &created, method.destination, method.path, method.interface, method.name)
        guard result >= 0, let created = unsafe created else { return nil }
        return unsafe BusMessage(adopting: created)
    }

    /// Makes a call; `done` is called once, and never from within this function: with the answer, or with a failure,
    /// if there is none within `limit` or the connection is lost. It is not called after `close`.
    func call(
        _ request: BusMessage, limit: Duration,
        _ done: @escaping (Result<BusMessage, BusCall.Failure>) -> Void
    ) {
        lastNumber += 1
        let number = lastNumber
        let call = BusCall(number, on: self, request, done)
        calls[number] = call
        do {
            call.timer = try loop.schedule(after: limit) { [weak self] in self?.giveUp(number) }
        } catch { return fail(call, error.code) }
        unsent.append(call)
        sendWaiting()
        update()
    }

    /// A call has its answer. Called by sd-bus, through the call.
    func noteAnswer(_ call: BusCall) { answered.append(call) }

    private func fail(_ call: BusCall, _ code: ErrorNumber) {
        loop.enqueue { [weak self] in
            guard let call = self?.calls.removeValue(forKey: call.number) else { return }
            call.finish(.failure(.unsendable(code)))
        }
    }

    /// Fails a call without an answer. If the connection is not even ready by then, it is not going to be.
    private func giveUp(_ number: UInt64) {
        guard let call = calls.removeValue(forKey: number) else { return }
        // The bus is ours.
        let isReady = unsafe sd_bus_is_ready(bus) > 0
        if !isReady { lose(ErrorNumber(rawValue: ETIMEDOUT)) }
        call.finish(.failure(.timedOut))
    }

    private func sendWaiting() {
        // The bus is ours.
        guard !isClosed, !unsent.isEmpty, unsafe sd_bus_is_ready(bus) > 0 else { return }
        let batch = unsent
        unsent = []
        for call in batch where calls[call.number] != nil {
            if let code = unsafe call.send(on: bus) { fail(call, code) }
        }
    }

    // MARK: Input

    /// Lets sd-bus handle what has come, and delivers it.
    private func process() {
        var failure: Int32 = 0
        for _ in 0..<Self.mostAtOnce where !isClosed {
            // The bus is ours, and this is never called from one of its callbacks. A failure may also be a message
            // from a broken peer.
            let result = unsafe sd_bus_process(bus, nil)
            failure = min(result, 0)
            // Once it closes, sd-bus would answer all calls itself.
            let isOpen = unsafe sd_bus_is_open(bus) > 0
            if result < 0 || !isOpen {
                failure = failure < 0 ? failure : -ErrorNumber.connectionReset.rawValue
                break
            }
            if result == 0 { break }
        }
        sendWaiting()
        deliver()
        if failure < 0 { lose(ErrorNumber(rawValue: -failure)) } else { update() }
    }

    private func deliver() {
        let (answered, signals) = (answered, signals)
        self.answered = []
        self.signals = []
        for signal in signals where !isClosed { onSignal?(signal) }
        for call in answered where !isClosed {
            calls[call.number] = nil
            call.deliver()
        }
    }

    /// Watches for what sd-bus waits for.
    private func update() {
        if isClosed { return }
        // The bus is ours. The numbers of its events are those of the loop.
        let events = unsafe sd_bus_get_events(bus)
        watch?.events = IOEvents(rawValue: UInt32(max(events, 0)))
        var due = UInt64.max
        let result = unsafe sd_bus_get_timeout(bus, &due)
        if events < 0 || result < 0 {
            timer?.reschedule(after: .zero)
        } else if due == .max {
            timer?.unschedule()
        } else {
            // Microseconds of the monotonic clock; 0 for at once.
            let now = UInt64(clamping: SystemClock.monotonicNanoseconds() / 1000)
            timer?.reschedule(after: .microseconds(Int64(clamping: due > now ? due - now : 0)))
        }
    }

    /// Ends it because of the manager.
    private func lose(_ code: ErrorNumber) {
        if isClosed { return }
        let lost = calls.sorted { $0.key < $1.key }
        close()
        // First, so that a call that is made because one has failed is made on another connection.
        onLoss?()
        for (_, call) in lost { call.finish(.failure(.lost(code))) }
    }

    /// Ends it: no waiting call is answered any more.
    func close() {
        isClosed = true
        watch?.cancel()
        timer?.cancel()
        calls = [:]
        unsent = []
        // What waits to be sent is dropped. The bus itself is released with this object.
        unsafe sd_bus_close(bus)
    }
}

/// A method of an object on D-Bus.
struct BusMethod: Hashable {
    var destination = "org.freedesktop.systemd1"
    var path = "/org/freedesktop/systemd1"
    var interface = "org.freedesktop.systemd1.Manager"
    let name: String
}
