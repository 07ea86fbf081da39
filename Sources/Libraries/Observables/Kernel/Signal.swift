// The rules of a signal:
//   1. Sinks are called in the order of connection.
//   2. Calls never nest. A value that a sink sends to its own signal follows after the current value has
//      reached every sink, so all sinks receive the same values in the same order.
//   3. A value goes to the sinks connected when it was sent. A sink connected during a delivery misses
//      the current value.
//   4. A disconnected sink receives nothing more, not even the value being delivered.
//   5. A signal whose sinks feed it endlessly is reported (`cascadeLimit`).

/// A source whose values are sent by the program.
public final class Signal<Value>: SourceType {
    private final class Receiver {
        let serial: Int
        var sink: Sink<Value>?

        init(serial: Int, sink: @escaping Sink<Value>) {
            self.serial = serial
            self.sink = sink
        }
    }

    private struct Sending {
        var value: Value
        /// Only sinks connected before this serial number get the value.
        var limit: Int
        var depth: Int
    }

    private var scheduler: ObservableScheduler
    /// In the order of serial numbers. Disconnected receivers stay until they are more than half.
    private var receivers: [Receiver] = []
    private var departed = 0
    /// The number of receivers visited to remove disconnected ones.
    package private(set) var departureSteps = 0
    private var nextSerial = 0
    private var queue: [Sending] = []
    /// The depth of the current value in its chain of sends; `nil` if no delivery is under way.
    private var depth: Int?

    /// A signal with no sinks.
    public init() {
        scheduler = .current
    }

    /// The signal as a source, for code that may receive but not send.
    public var source: Source<Value> {
        Source { self.connect($0) }
    }

    /// Whether any sink is connected.
    public var isConnected: Bool { receivers.count > departed }

    /// Sends each later value to `sink`, until the connection ends.
    public func connect(_ sink: @escaping Sink<Value>) -> Connection {
        checkOwner()
        let receiver = Receiver(serial: nextSerial, sink: sink)
        nextSerial += 1
        receivers.append(receiver)
        return Connection { self.remove(receiver) }
    }

    private func remove(_ receiver: Receiver) {
        checkOwner()
        // The sink's captures may send when they are released, so release them last.
        guard let released = receiver.sink.take() else { return }
        departed += 1
        // Removing half at a time costs one or two steps per disconnected receiver.
        if departed > receivers.count / 2 {
            departureSteps += receivers.count
            receivers.removeAll { $0.sink == nil }
            departed = 0
        }
        withExtendedLifetime(released) {}
    }

    /// Stops the program if the signal belongs to another owner. As with observables, an idle signal
    /// moves to the actor that uses it first.
    @inline(__always)
    private func checkOwner() {
        if !scheduler.isOwnThread { checkOwnerThoroughly() }
    }

    private func checkOwnerThoroughly() {
        if scheduler.isOwnerCurrent { return }
        guard !isConnected, depth == nil, let target = ObservableScheduler.ofCurrentActor else {
            ObservableScheduler.stopForeignUse()
        }
        scheduler = target
    }

    /// Sends `value` to all sinks connected now. A call from within one of them returns at once, and the
    /// value follows the current one.
    ///
    /// - Complexity: one call of each connected sink.
    public func send(_ value: Value) {
        checkOwner()
        let sending = Sending(value: value, limit: nextSerial, depth: (depth ?? 0) + 1)
        guard depth == nil else {
            queue.append(sending)
            return
        }
        deliver(sending)
        var next = 0
        while next < queue.count {
            guard queue[next].depth <= scheduler.cascadeLimit else {
                let dropped = queue.count - next
                queue.removeAll()
                depth = nil
                scheduler.report(
                    CascadeReport(kind: .signal, limit: scheduler.cascadeLimit, dropped: dropped))
                return
            }
            deliver(queue[next])
            next += 1
            if next == 1024 {
                queue.removeFirst(next)
                next = 0
            }
        }
        queue.removeAll()
        depth = nil
    }

    private func deliver(_ sending: Sending) {
        depth = sending.depth
        for receiver in receivers where receiver.serial < sending.limit {
            receiver.sink?(sending.value)
        }
    }
}
