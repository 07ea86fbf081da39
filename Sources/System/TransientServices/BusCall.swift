// A call that waits for its answer.

import CSystemd
import EventLoops
import MessageBus
import SystemInterface

/// One call on a connection, from its first byte to its answer.
@safe final class BusCall {
    /// Why a call has no answer.
    enum Failure: Error, Hashable {
        case lost(ErrorNumber)
        case timedOut
        case unsendable(ErrorNumber)
        case refused(name: String, message: String)
    }

    let number: UInt64
    private let connection: Weak
    private let done: (Result<BusMessage, Failure>) -> Void
    /// The request, until it is sent.
    var request: BusMessage?
    /// The answer, until it is delivered.
    private(set) var answer: BusMessage?
    var timer: (any TimerSource)?
    /// sd-bus's entry of the call.
    private var slot: OpaquePointer?

    private struct Weak {
        weak var connection: BusConnection?
    }

    init(
        _ number: UInt64, on connection: BusConnection, _ request: BusMessage,
        _ done: @escaping (Result<BusMessage, Failure>) -> Void
    ) {
        self.number = number
        self.connection = Weak(connection: connection)
        self.request = request
        self.done = done
    }

    deinit {
        // Our own reference; without it sd-bus never calls back, as `self` is its user data.
        if let slot = unsafe slot { _ = unsafe sd_bus_slot_unref(slot) }
    }

    /// Sends the request, or as much of it as the socket takes. Never blocks on a connection that is ready.
    func send(on bus: OpaquePointer) -> ErrorNumber? {
        guard let request = request.take() else { return nil }
        var created: OpaquePointer?
        // The bus is the connection's. The user data is this object, which owns the slot, and so outlives it. The limit
        // is our own timer: sd-bus would begin to count only when it is connected.
        let result = unsafe sd_bus_call_async(
            bus, &created, request.message,
            { message, userdata, _ in
                guard let message = unsafe message, let userdata = unsafe userdata else { return 0 }
                let call = unsafe Unmanaged<BusCall>.fromOpaque(userdata).takeUnretainedValue()
                call.receive(unsafe BusMessage(retaining: message))
                return 0
            }, Unmanaged.passUnretained(self).toOpaque(), UInt64.max)
        unsafe slot = created
        return result < 0 ? ErrorNumber(rawValue: -result) : nil
    }

    private func receive(_ message: BusMessage) {
        answer = message
        connection.connection?.noteAnswer(self)
    }

    func deliver() {
        guard let answer = answer.take() else { return }
        if let error = answer.error {
            finish(.failure(.refused(name: error.name, message: error.message)))
        } else {
            finish(.success(answer))
        }
    }

    func finish(_ result: Result<BusMessage, Failure>) {
        timer?.cancel()
        timer = nil
        request = nil
        done(result)
    }
}
