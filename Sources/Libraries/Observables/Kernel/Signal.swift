// The rules of a signal:
//   1. Sinks are called in the order in which they were connected.
//   2. Calls never nest. What a sink sends to its own signal is sent after the value at hand has
//      reached every sink, so that all sinks get the same values in the same order.
//   3. A value goes to the sinks that were connected when it was sent. A sink connected during a
//      delivery misses the value at hand.
//   4. A sink that is disconnected gets nothing more, also in the round at hand.
//   5. A signal whose sinks feed it without end is reported, not followed (`cascadeLimit`).

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
    /// In the order of their serial numbers. Those that have left stay until there are enough of them.
    private var receivers: [Receiver] = []
    private var departed = 0
    /// How many receivers have been looked at to let go of others.
    package private(set) var departureSteps = 0
    private var nextSerial = 0
    private var queue: [Sending] = []
    /// How deep in its own deliveries the signal is; `nil` if none is under way.
    private var depth: Int?

    /// A signal with no sinks.
    public init() {
        scheduler = .current
    }

    /// The signal as a source: for those who may receive but not send.
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
        // What the sink holds may send when it is released: not before all is done here.
        guard let released = receiver.sink else { return }
        receiver.sink = nil
        departed += 1
        // Half of them, so that a round costs each that left one or two steps.
        if departed > receivers.count / 2 {
            departureSteps += receivers.count
            receivers.removeAll { $0.sink == nil }
            departed = 0
        }
        withExtendedLifetime(released) {}
    }

    /// Stops the program if the signal belongs to somebody else. As with observables, one that is idle
    /// goes to the actor that uses it first.
    @inline(__always)
    private func checkOwner() {
        if !scheduler.isOwnThread { checkOwnerThoroughly() }
    }

    private func checkOwnerThoroughly() {
        if scheduler.isOwnerCurrent { return }
        guard !isConnected, depth == nil, let target = ObservableScheduler.adopting else {
            ObservableScheduler.stopForeignUse()
        }
        scheduler = target
    }

    /// Sends `value` to all sinks connected now. Called from within one of them, it returns at
    /// once, and the value follows the one at hand.
    ///
    /// - Complexity: one call of each sink that is connected.
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
