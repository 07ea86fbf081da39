internal import DequeModule
internal import EventLoops
internal import JSONText
internal import PickerModel
internal import PluginInterface
internal import SystemInterface
internal import WireProtocol

// Output: streams into the queue, the queue into the socket.
extension Session {
    /// The bytes taken from streams between two sends.
    private static let sendBytes = 32 << 10
    /// The most bytes sent to one client in one turn of the loop. Mostly its time is over before, or its socket full. So
    /// a client that reads keeps up with what happens as fast as it can.
    private static let turnBytes = 512 << 10
    /// The time, in nanoseconds, after which the streams that have more for a client wait for the next turn.
    private static let turnLength: Int64 = 400_000

    /// Calls `flush` at the end of this turn.
    func scheduleFlush() {
        guard !isFlushScheduled, phase != .closed else { return }
        isFlushScheduled = true
        server.flushAtEndOfTurn(self)
    }

    /// Fills the queue from the streams while there is room, sends as much as the socket accepts, and repeats
    /// until either is exhausted, or the client has had its turn.
    func flush() {
        isFlushScheduled = false
        guard phase != .closed else { return }
        if phase == .parting { return sendRest() }
        output.borrowStorage(from: &server.spare)
        defer {
            output.returnStorage(to: &server.spare)
            server.counters.notifications += notifications
            notifications = 0
        }
        var sent = 0
        // Most turns have no stream.
        let turnEnd = roomRequests.isEmpty ? 0 : server.loop.now.nanoseconds + Self.turnLength
        repeat {
            roomLimit = min(server.limits.queueSoft, output.count + Self.sendBytes)
            fillFromStreams(until: turnEnd)
            let before = output.count
            guard sendQueue() else { return close() }
            sent += before - output.count
        } while output.isEmpty && !roomRequests.isEmpty && sent < Self.turnBytes && !isTurnOver
        isTurnOver = false
        if isDone { return end() }
        if !inbox.isEmpty, waiting == nil, output.count <= server.limits.queueHard {
            server.loop.enqueue { [self] in handleRequests() }
        } else if output.isEmpty, !roomRequests.isEmpty {
            server.loop.enqueue { [self] in flush() }
        }
        updateInterest()
        watchSlowness()
    }

    private var isDone: Bool {
        guard output.isEmpty else { return false }
        switch phase {
        case .serving: return false
        case .finishing: return inbox.isEmpty && waiting == nil && roomRequests.isEmpty
        case .parting, .closed: return true
        }
    }

    /// Ends the session after its last line.
    private func end() {
        if let farewell { sayGoodbye(reason: farewell) } else { close() }
    }

    private func fillFromStreams(until end: Int64) {
        while hasRoom, let open = roomRequests.popFirst() {
            open.wantsRoom = false
            guard open.isOpen else { continue }
            let hasMore = open.stream.produce(into: self)
            isTurnOver = server.loop.now.nanoseconds >= end
            // This flush, or the next turn, goes on with it.
            if hasMore, !open.wantsRoom {
                open.wantsRoom = true
                roomRequests.append(open)
            }
        }
    }

    /// Sends the queue until it is empty or the socket is full.
    /// - Returns: false if the client is gone.
    private func sendQueue() -> Bool {
        if !output.isEmpty { server.registry.prepareOutput() }
        while !output.isEmpty {
            do throws(SystemError) {
                switch try connection.descriptor.send(output.bytes, from: output.head) {
                case .bytes(let count):
                    server.counters.bytesOut += count
                    output.removeFirst(count)
                case .wouldBlock:
                    return true
                case .closed:
                    return false
                }
            } catch {
                return false
            }
        }
        return true
    }

    /// Watches the socket only for usable events: for input while there is room, for writability while output
    /// is waiting.
    func updateInterest() {
        guard let source else { return }
        source.events = .reading(canRead, writing: !output.isEmpty)
    }

    /// Says goodbye to a client that stays above the hard limit for too long.
    private func watchSlowness() {
        guard farewell == nil else { return }
        if output.count <= server.limits.queueHard {
            slowTimer = nil
        } else if slowTimer == nil {
            slowTimer = try? server.loop.schedule(after: server.limits.slowGrace) {
                [unowned self] in
                output.dropUnsentLines()
                server.counters.slowClients += 1
                sayGoodbye(reason: "slow")
            }
        }
    }

    /// Stops reading requests, sends what the client is owed, and then says goodbye; after half of the grace
    /// period it says goodbye in any case.
    func shutDown(reason: String) {
        guard phase == .serving || phase == .finishing else { return }
        phase = .finishing
        farewell = reason
        dropRequests()
        let half = server.limits.partingGrace / 2
        slowTimer = try? server.loop.schedule(after: half) { [unowned self] in
            sayGoodbye(reason: reason, within: half)
        }
        flush()
    }

    /// Says goodbye, sends what the socket accepts within the grace period, and ends the session. Goodbye is
    /// the last line: later ones are dropped.
    func sayGoodbye(reason: String, within grace: Duration? = nil) {
        guard phase != .closed, phase != .parting else { return }
        send { $0.notification(Goodbye(reason: reason)) }
        phase = .parting
        dropRequests()
        let grace = grace ?? server.limits.partingGrace
        slowTimer = try? server.loop.schedule(after: grace) { [unowned self] in
            close()
        }
        sendRest()
    }

    /// Sends the rest of the queue after the goodbye; the session ends with the last byte.
    private func sendRest() {
        guard sendQueue(), !output.isEmpty else { return close() }
        updateInterest()
    }

    /// Sends `$/alive` at this interval from now on.
    func sendAlive(every interval: Duration) {
        aliveTimer = try? server.loop.schedule(after: interval) { [unowned self] in
            // A client that doesn't read gains nothing from a queue of these.
            if hasRoom {
                let alive = Alive(rev: server.documents.rev)
                send { $0.notification(alive) }
            }
            scheduleFlush()
            aliveTimer?.reschedule(after: interval)
        }
    }
}

extension Session: LineSink {
    var hasRoom: Bool { output.count < roomLimit && !isTurnOver }

    func send(_ write: (inout JSONWriter) -> Void) {
        server.withScratch { line in
            write(&line)
            line.endLine()
            output.append(line)
        }
        notifications += 1
    }

    func send(line head: [UInt8], _ rest: ByteSlice) {
        output.append(head, rest)
        notifications += 1
    }

    func sendIfItFits(_ write: (inout JSONWriter) -> Void) -> Bool {
        let fits = server.withScratch { line in
            write(&line)
            guard line.count <= server.limits.line else { return false }
            line.endLine()
            output.append(line)
            return true
        }
        if fits { notifications += 1 }
        return fits
    }
}

extension Session: PeerConnection {
    func post(_ write: (inout JSONWriter) -> Void) -> Bool {
        guard phase == .serving else { return false }
        output.borrowStorage(from: &server.spare)
        let isSent = sendIfItFits(write)
        scheduleFlush()
        return isSent
    }

    var waitingBytes: Int { output.count }
}
