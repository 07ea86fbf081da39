internal import DataBus
internal import EventStorage
internal import JSONText
internal import PluginInterface
internal import StateFolder
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
/// in `daemon.info`; the bus goes on as it is. Reading the settings again is another try. If the folder, or
/// a file in it, is not where it was made any more, that is told likewise, and a moment later it is
/// made anew with what the bus keeps; until that can be done it is tried again and again.
final class EventJournal {
    /// From the first event after a batch to the next batch.
    private static let pace = Duration.milliseconds(250)
    /// The most events, and about the most bytes, that are handed over in one go: the loop spends a
    /// millisecond on them. A batch with more goes in parts.
    static let partCount = 8192
    static let partBytes = 4 << 20
    /// How long the end of the daemon may wait for the last batch, in milliseconds.
    static let finishLimit: Int32 = 2000

    let context: PluginContext
    let bus: EventBus
    let path: String
    let worker: StoreWorker
    var mark: NumberMark
    /// Whether the mark is as it should be; without one, the next start begins a new epoch.
    var isMarked = true
    var state = State.keeping
    private var answers: (any LoopSource)?
    private var wakeup: EventWakeup?
    var timer: (any TimerSource)?
    var repairTimer: (any TimerSource)?
    var watch: StateFolderWatch?
    /// Whether the worker has a batch that it has not answered.
    var isBusy = false
    /// Events up to this number have been handed over, or were not to be had any more.
    var handedThrough: Int
    /// The last event of the batch that is being handed over.
    var batchEnd: Int
    var storedThrough: Int
    private var bytes: Int
    /// How many events may be kept.
    var count: Int

    /// Takes over what a start found. The bus has been given the events already.
    init(
        _ opened: EventStore.Opened, at path: String, keeping count: Int,
        in context: PluginContext,
        openFolder: @escaping @Sendable (String) throws(StorageError) -> any StorageFolder
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
        let mailbox: Mailbox<StoreWorker.Answer>
        do throws(SystemError) { mailbox = try Mailbox(limit: 16) } catch { throw .system(error) }
        worker = try StoreWorker(
            opened.store, openFolder: { () throws(StorageError) in try openFolder(path) },
            answer: { mailbox.post($0) })
        do throws(SystemError) {
            answers = try mailbox.deliver(on: context.loop) { [unowned self] in take($0) }
        } catch { throw .system(error) }
        wakeup = bus.wakeup { [unowned self] in
            context.loop.atEndOfTurn { [weak self] in self?.turnEnded() }
        }
        wakeup?.arm()
        watchFolder()
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
        guard !isBusy, isWriting, handedThrough < batchEnd else { return }
        isBusy = true
        worker.write(nextPart())
    }

    /// The next events up to the end of the batch, as many as go in one part.
    func nextPart() -> StoreWorker.Batch {
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

    /// Whether batches go to the worker.
    private var isWriting: Bool {
        if case .degraded = state { return false }
        return true
    }

    private func take(_ answer: StoreWorker.Answer) {
        if !answer.isUnasked { isBusy = false }
        storedThrough = answer.storedThrough
        bytes = answer.bytes
        for note in answer.notes { warn(note, "events-store-damaged") }
        if let mark = answer.mark { adopt(mark) }
        if let error = answer.error {
            guard error.code == .misplaced else { return degrade(because: "\(error)") }
            // Nobody finds it any more.
            storedThrough = 0
            bytes = 0
            return degrade(because: "\(error)", isMisplaced: true)
        }
        if handedThrough < batchEnd { return handOver() }
        if case .retrying = state { restored() }
        if handedThrough < bus.lastSequence, state == .keeping { setTimer() }
    }

    // MARK: The end

    /// Has the last events written, and waits for that for so many milliseconds.
    func finish(within limit: Int32) {
        wakeup = nil
        timer = nil
        repairTimer = nil
        watch = nil
        answers = nil
        markLast()
        // On a file system that was read-only it may be there still.
        if !isMarked { mark.remove() }
        batchEnd = bus.lastSequence
        var isAgain = false
        if case .degraded(let trouble) = state { isAgain = trouble.isMisplaced }
        var end = finish(within: limit, isAgain: isAgain)
        if end == .misplaced {
            storedThrough = 0
            end = finish(within: limit, isAgain: true)
        }
        switch end {
        case .done: break
        case .late:
            warn(
                "the disk is too slow: the last events may be missing from '\(path)'",
                "events-store-incomplete")
        case .misplaced:
            warn("'\(path)' is not there any more: no events are kept", "events-store-incomplete")
        case .failed(let error):
            warn("the last events are missing from '\(path)': \(error)", "events-store-incomplete")
        }
    }

    private func finish(within limit: Int32, isAgain: Bool) -> StoreWorker.End {
        handedThrough = storedThrough
        return worker.finish(
            writing: isWriting || isAgain ? allParts() : nil, marking: isMarked ? mark : nil,
            isAgain: isAgain, within: limit)
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
        case .degraded(let trouble), .retrying(let trouble):
            writer.member("degraded", trouble.reason)
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
