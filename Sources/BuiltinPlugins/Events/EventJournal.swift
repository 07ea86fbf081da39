internal import DataBus
internal import EventStorage
internal import JSONText
internal import PluginInterface
internal import SystemInterface
internal import SystemdEventLoop
internal import WireProtocol

/// Keeps what the bus keeps in a folder as well, so that a restart loses a second at most.
///
/// What was sent goes to a worker thread a batch at a time: a quarter of a second after the first event
/// since the last batch, what the bus still keeps of it. So a flood costs as much as the bus keeps,
/// however many events rush by; those that have left the bus in the meantime are never written, and
/// their numbers are missing after a restart. With nothing to write no timer is set.
///
/// What holds true: a number that some client has seen is marked in a file, before it is sent. After
/// a restart numbers go on behind the mark, so none stands for two events in one epoch.
///
/// On an error of the disk nothing more is written, which is told in the log, by `daemon.degraded` and
/// in `daemon.info`; the bus goes on as it is. Reading the settings again is another try.
final class EventJournal {
    /// From the first event after a batch to the next batch.
    private static let pace = Duration.milliseconds(250)
    /// The most events, and about the most bytes, that are handed over in one go: the loop spends a
    /// millisecond on them. A batch with more goes in parts.
    private static let partCount = 8192
    private static let partBytes = 4 << 20
    /// How long the end of the daemon may wait for the last batch, in milliseconds.
    static let finishLimit: Int32 = 2000

    private enum State: Equatable {
        case keeping
        case degraded(String)
        /// Another try is under way, after this.
        case retrying(String)
    }

    private let context: PluginContext
    private let bus: EventBus
    private let path: String
    private let worker: StoreWorker
    private var mark: NumberMark
    /// Whether the mark is as it should be; without one, the next start begins a new epoch.
    private var isMarked = true
    private var state = State.keeping
    private var answers: (any LoopSource)?
    private var wakeup: EventWakeup?
    private var timer: (any TimerSource)?
    /// Whether the worker has a batch that it has not answered.
    private var isBusy = false
    /// Events up to this number have been handed over, or were not to be had any more.
    private var handedThrough: Int
    /// The last event of the batch that is being handed over.
    private var batchEnd: Int
    private(set) var storedThrough: Int
    private var bytes: Int
    /// How many events may be kept.
    var count: Int

    /// Takes over what a start found. The bus has been given the events already.
    init(
        _ opened: EventStore.Opened, at path: String, keeping count: Int,
        in context: PluginContext
    ) throws(StorageError) {
        self.context = context
        self.path = path
        self.count = count
        bus = context.bus
        mark = opened.mark
        bytes = opened.store.bytes
        storedThrough = opened.store.storedThrough
        handedThrough = storedThrough
        batchEnd = storedThrough
        let mailbox: LoopMailbox<StoreWorker.Answer>
        do throws(EventLoopError) {
            mailbox = try LoopMailbox(limit: 16)
        } catch { throw .system(error.cause) }
        worker = try StoreWorker(opened.store) { mailbox.post($0) }
        do throws(EventLoopError) {
            answers = try mailbox.deliver(on: context.loop) { [unowned self] in take($0) }
        } catch { throw .system(error.cause) }
        wakeup = bus.wakeup { [unowned self] in
            context.loop.atEndOfTurn { [weak self] in self?.turnEnded() }
        }
        wakeup?.arm()
    }

    /// Events were sent in this turn.
    private func turnEnded() {
        guard wakeup != nil else { return }
        markLast()
        if state == .keeping, !isBusy { setTimer() }
        wakeup?.arm()
    }

    private func setTimer() {
        if let timer {
            if !timer.isSet { timer.reschedule(after: Self.pace) }
            return
        }
        timer = try? context.loop.schedule(after: Self.pace) { [unowned self] in
            batchEnd = bus.lastSequence
            handOver()
        }
    }

    // MARK: Numbers

    /// Marks the number of the newest event. Called before anything is sent to clients.
    func markLast() {
        guard isMarked, bus.lastSequence != mark.content.lastNumber else { return }
        do throws(StorageError) {
            try mark.store(bus.lastSequence)
        } catch {
            // An old mark would have numbers given twice; none at all begins a new epoch.
            isMarked = false
            mark.remove()
            degrade(because: "\(error)")
        }
    }

    // MARK: Batches

    private func handOver() {
        guard !isBusy, state == .keeping, handedThrough < batchEnd else { return }
        isBusy = true
        worker.write(nextPart())
    }

    /// The next events up to the end of the batch, as many as go in one part.
    private func nextPart() -> StoreWorker.Batch {
        let oldest = max(bus.oldestSequence, bus.lastSequence - count + 1)
        handedThrough = max(handedThrough, oldest - 1)
        var events: [StoredEvent] = []
        var size = 0
        events.reserveCapacity(min(Self.partCount, batchEnd - handedThrough))
        while events.count < Self.partCount, size < Self.partBytes,
            let sent = bus.firstKept(after: handedThrough), sent.sequence <= batchEnd
        {
            handedThrough = sent.sequence
            guard let event = StoredEvent(sent) else { continue }
            events.append(event)
            size += event.data?.count ?? 0
        }
        if events.count < Self.partCount, size < Self.partBytes { handedThrough = batchEnd }
        return StoreWorker.Batch(
            events: events, oldest: oldest,
            limits: EventStore.Limits(count: count, bytes: bus.limits.bytes))
    }

    private func take(_ answer: StoreWorker.Answer) {
        if !answer.isUnasked { isBusy = false }
        storedThrough = max(storedThrough, answer.storedThrough)
        bytes = answer.bytes
        if let error = answer.error { return degrade(because: "\(error)") }
        if case .retrying = state, !answer.isUnasked { restored() }
        if handedThrough < batchEnd {
            handOver()
        } else if handedThrough < bus.lastSequence, state == .keeping {
            setTimer()
        }
    }

    // MARK: Trouble

    private func degrade(because reason: String) {
        let isNew = state == .keeping
        // Once for each try: what was under way when it failed says the same again.
        if case .degraded = state { return }
        state = .degraded(reason)
        timer?.unschedule()
        context.report(
            .warning,
            "events are not kept across restarts any more: \(reason). Free space, or mend what is "
                + "wrong with '\(path)', then run 'pickerctl reload'",
            fields: ["PICKERD_EVENT": "events-store-degraded", "PICKERD_PATH": path])
        // Not from here: this may be the way to a client, and the event is for clients.
        if isNew {
            context.loop.enqueue { [weak self] in self?.publish("daemon.degraded", reason) }
        }
    }

    private func restored() {
        state = .keeping
        context.report(
            .notice, "events are kept across restarts again, in '\(path)'",
            fields: ["PICKERD_EVENT": "events-store-restored", "PICKERD_PATH": path])
        publish("daemon.restored", nil)
    }

    private func publish(_ topic: Topic, _ reason: String?) {
        context.publish(topic) { writer in
            writer.object { writer in
                writer.member("what", "events-store")
                if let reason { writer.member("reason", reason) }
                writer.member("path", path)
            }
        }
    }

    /// Tries again after an error. Does nothing when there was none.
    func retry() {
        guard case .degraded(let reason) = state, !isBusy else { return }
        state = .retrying(reason)
        if !isMarked {
            do throws(StorageError) {
                try mark.renew(at: bus.lastSequence)
                isMarked = true
            } catch { return degrade(because: "\(error)") }
        }
        handedThrough = storedThrough
        batchEnd = bus.lastSequence
        isBusy = true
        worker.retry(nextPart())
    }

    // MARK: The end

    /// Has the last events written, and waits for that for so many milliseconds.
    func finish(within limit: Int32) {
        wakeup = nil
        timer = nil
        answers = nil
        markLast()
        handedThrough = storedThrough
        batchEnd = bus.lastSequence
        let isDone = worker.finish(
            writing: state == .keeping ? allParts() : nil, marking: isMarked ? mark : nil,
            within: limit)
        if !isDone {
            context.report(
                .warning, "the disk is too slow: the last events may be missing from '\(path)'",
                fields: ["PICKERD_PATH": path])
        }
    }

    private func allParts() -> StoreWorker.Batch {
        var all = nextPart()
        while handedThrough < batchEnd { all.events += nextPart().events }
        return all
    }

    // MARK: Information

    /// For `daemon.info`.
    func writeInfo(into writer: inout JSONWriter) {
        writer.member("stored", storedThrough)
        writer.member("bytes", bytes)
        switch state {
        case .keeping: break
        case .degraded(let reason), .retrying(let reason): writer.member("degraded", reason)
        }
    }
}

extension StoredEvent {
    /// Nil for an event that does not go over the wire.
    init?(_ sent: SentEvent) {
        guard let event = sent.cast(to: WireEvent.self) else { return nil }
        self.init(
            number: sent.sequence, time: sent.time, topic: event.name.text,
            data: event.dataText?.copied)
    }
}
