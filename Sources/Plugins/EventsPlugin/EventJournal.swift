internal import DataBus
internal import EventLoops
internal import EventStorage
internal import JSONText
internal import PluginInterface
internal import StateFolder
internal import SystemInterface
internal import WireProtocol

/// Stores the events that the bus keeps, so that a restart loses at most the last second.
///
/// Events go to a worker thread in batches. A batch starts a quarter of a second after its first event and
/// contains what the bus still keeps by then. So the cost of a flood is limited by what the bus keeps:
/// events that have left the bus are never written, and their numbers are gaps after a restart. Without
/// events no timer is set.
///
/// Invariant: a number is marked in a file before any client sees it. After a restart, numbers continue
/// after the mark, so no number stands for two events in one epoch.
///
/// After an error of the disk writing stops, which is reported in the log, by `daemon.degraded` and in
/// `daemon.info`; the bus continues. Reloading the settings retries. If the folder or a file in it is not
/// at its path, that is reported, too; a moment later the folder is recreated with what the bus keeps, and
/// this is retried until it succeeds.
final class EventJournal {
    /// The time from the first event after a batch to the next batch.
    private static let batchDelay = Duration.milliseconds(250)
    /// The most events, and about the most bytes, of one part of a batch: the loop spends a millisecond on
    /// a part. A larger batch goes in several parts.
    static let partCount = 1024
    static let partBytes = 4 << 20

    let context: PluginContext
    let bus: EventBus
    let path: String
    let worker: StoreWorker
    var mark: NumberMark
    /// Whether the mark is valid; without one, the next start begins a new epoch.
    var isMarked = true
    var state = State.keeping
    private var answers: (any LoopSource)?
    private var wakeup: EventWakeup?
    var timer: (any TimerSource)?
    var repairTimer: (any TimerSource)?
    var watch: StateFolderWatch?
    /// Whether the worker has an unanswered batch.
    var isBusy = false
    /// Events up to this number have been submitted to the worker, or had left the bus already.
    var submittedThrough: Int
    /// The last event of the current batch.
    var batchEnd: Int
    var storedThrough: Int
    private var bytes: Int
    /// The most events to store.
    var count: Int

    /// Continues the opened store. The bus already has its events.
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
        submittedThrough = storedThrough
        batchEnd = storedThrough
        let mailbox: Mailbox<StoreWorker.Answer>
        do throws(SystemError) { mailbox = try Mailbox(limit: 16) } catch { throw .system(error) }
        worker = try StoreWorker(
            opened.store, openFolder: { () throws(StorageError) in try openFolder(path) },
            answer: { mailbox.post($0) })
        do throws(SystemError) {
            answers = try mailbox.deliver(on: context.loop) { [unowned self] in receive($0) }
        } catch { throw .system(error) }
        wakeup = bus.wakeup { [unowned self] in
            context.loop.atEndOfTurn { [weak self] in self?.handleTurnEnd() }
        }
        wakeup?.arm()
        watchFolder()
    }

    /// Events were sent in this turn of the loop.
    private func handleTurnEnd() {
        guard wakeup != nil else { return }
        markLast()
        if state == .keeping, !isBusy { scheduleBatch() }
        wakeup?.arm()
    }

    private func scheduleBatch() {
        if let timer {
            if !timer.isSet { timer.reschedule(after: Self.batchDelay) }
            return
        }
        timer = try? context.loop.schedule(after: Self.batchDelay) { [unowned self] in
            batchEnd = bus.lastSequence
            submitNextPart()
        }
    }

    // MARK: Numbers

    /// Marks the number of the newest event. Called before any output to clients.
    func markLast() {
        guard isMarked, bus.lastSequence != mark.content.lastNumber else { return }
        do throws(StorageError) {
            try mark.store(bus.lastSequence)
        } catch {
            // With an old mark numbers would be given out twice; without a mark a new epoch begins.
            isMarked = false
            mark.remove()
            degrade(because: "\(error)")
        }
    }

    // MARK: Batches

    private func submitNextPart() {
        guard !isBusy, isWriting, submittedThrough < batchEnd else { return }
        isBusy = true
        worker.write(nextPart())
    }

    /// The next part of the batch.
    func nextPart() -> StoreWorker.Batch {
        let oldest = max(bus.oldestSequence, bus.lastSequence - count + 1)
        submittedThrough = max(submittedThrough, oldest - 1)
        var events: [StoredEvent] = []
        var size = 0
        events.reserveCapacity(min(Self.partCount, batchEnd - submittedThrough))
        while events.count < Self.partCount, size < Self.partBytes,
            let sent = bus.firstKept(after: submittedThrough), sent.sequence <= batchEnd
        {
            submittedThrough = sent.sequence
            guard let event = StoredEvent(sent) else { continue }
            events.append(event)
            size += event.data?.count ?? 0
        }
        if events.count < Self.partCount, size < Self.partBytes { submittedThrough = batchEnd }
        return StoreWorker.Batch(
            events: events, oldest: oldest,
            limits: EventStore.Limits(count: count, bytes: bus.limits.bytes))
    }

    /// Whether batches are submitted to the worker.
    private var isWriting: Bool {
        if case .degraded = state { false } else { true }
    }

    private func receive(_ answer: StoreWorker.Answer) {
        if !answer.isUnasked { isBusy = false }
        storedThrough = answer.storedThrough
        bytes = answer.bytes
        for note in answer.notes { warn(note, "events-store-damaged") }
        if let mark = answer.mark { adopt(mark) }
        if let error = answer.error {
            guard error.code == .misplaced else { return degrade(because: "\(error)") }
            // The stored events are lost.
            storedThrough = 0
            bytes = 0
            return degrade(because: "\(error)", isMisplaced: true)
        }
        if submittedThrough < batchEnd { return submitNextPart() }
        if case .retrying = state { restored() }
        if submittedThrough < bus.lastSequence, state == .keeping { scheduleBatch() }
    }

    // MARK: The end

    /// Stores the last events, and waits at most `limit` milliseconds for that.
    func finish(within limit: Int32) {
        wakeup = nil
        timer = nil
        repairTimer = nil
        watch = nil
        answers = nil
        markLast()
        // Its removal may have failed, for example on a read-only file system.
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
        submittedThrough = storedThrough
        return worker.finish(
            writing: isWriting || isAgain ? allParts() : nil, marking: isMarked ? mark : nil,
            isAgain: isAgain, within: limit)
    }

    private func allParts() -> StoreWorker.Batch {
        var all = nextPart()
        while submittedThrough < batchEnd { all.events += nextPart().events }
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
    /// Nil for an event that clients do not see.
    init?(_ sent: SentEvent) {
        guard let event = sent.cast(to: WireEvent.self) else { return nil }
        self.init(
            number: sent.sequence, time: sent.time, topic: event.name.text,
            data: event.dataText?.copied)
    }
}
