internal import EventLoops
internal import JSONText
internal import Layouts
internal import PluginInterface
internal import SystemInterface
internal import WireProtocol

/// The loop's side of a force layout. Its cost does not depend on the number of cells, except for passing
/// on their keys.
///
/// One order at a time is with the worker. Changes in the meantime are collected in the next order, which
/// follows at once; ticks follow at the pace that the client asked for. The worker writes frames only for a
/// client that has been sent all earlier ones: a slow reader gets the current positions of the cells, which
/// move on at their pace.
final class ForceFrames: LayoutBody {
    private let loop: any EventLoop
    private let workers: LayoutWorkers
    weak var stream: LayoutStream?

    private var number = 0
    private var settings: LayoutSettings
    /// The keys of the items.
    private var keys = Set<String>()
    /// The changes for the next order.
    private var next = ForceOrder()
    /// Whether an order is unanswered.
    private var isBusy = false
    /// Whether there have been any items.
    private var hasItems = false
    private var isFinished = false
    /// Whether there are visible changes that were not written.
    private var hasNews = false
    /// The time of the next ticks while cells move.
    private var due: MonotonicInstant?
    private var timer: (any TimerSource)?
    /// The written but unsent lines.
    private var lines: ArraySlice<[UInt8]> = []

    init(
        sub: RequestID, items: RequestID, settings: LayoutSettings, workers: LayoutWorkers,
        loop: any EventLoop
    ) throws(ProtocolError) {
        self.settings = settings
        self.workers = workers
        self.loop = loop
        let opening = LayoutWorker.Opening(
            sub: sub, items: items, bounds: settings.bounds, options: settings.force)
        let opened: Int?
        do throws(SystemError) {
            opened = try workers.open(opening) { [unowned self] in take($0) }
        } catch {
            throw .overloaded(
                retryAfterMs: 1000, "no thread for force layouts can be had: \(error)")
        }
        guard let opened else {
            throw .overloaded(
                retryAfterMs: 1000,
                "too many force layouts were opened and closed in a short time: try again")
        }
        number = opened
    }

    /// Whether cells move, or frames for the client must still be written.
    var isMoving: Bool {
        isBusy || hasItems && (!isFinished || next.hasChanges || hasNews && lines.isEmpty)
    }

    // MARK: Changes

    func reset(to keys: [String], from old: [String], rev: Int) {
        next.rev = rev
        next.items = ForceOrder.Items(
            keys: keys, removed: next.items?.removed ?? [], isReset: true)
        self.keys = Set(keys)
        hasItems = true
        sendChanges()
    }

    func change(by delta: ItemsDelta, to keys: [String], from old: [String]) {
        next.rev = delta.to
        if delta.deleted.isEmpty && delta.inserted.isEmpty {
            // The position of an item in the list has no effect, but the client is told the revision,
            // because it may wait for it.
            hasNews = true
            if !isBusy { requestNextTicks() }
            return
        }
        var items = next.items ?? ForceOrder.Items(keys: keys)
        items.keys = keys
        for index in delta.deleted {
            items.removed.insert(old[index])
            self.keys.remove(old[index])
        }
        for entry in delta.inserted { self.keys.insert(entry.item.key) }
        next.items = items
        sendChanges()
    }

    func adopt(_ settings: LayoutSettings) {
        let before = self.settings
        self.settings = settings
        if settings.bounds != before.bounds { next.bounds = settings.bounds }
        if settings.force != before.force { next.options = settings.force }
        if settings.pace != before.pace, let due {
            self.due = min(due, loop.now.advanced(by: settings.pace.interval))
        }
        sendChanges()
        if !isBusy { requestNextTicks() }
    }

    func measured(_ sizes: [(index: Int, size: Size)]) {}

    /// Whether there is an item with this key.
    ///
    /// - Complexity: O(1).
    func contains(_ key: String) -> Bool { keys.contains(key) }

    /// Adds a force to an item's cell for one tick. Several pushes before the next tick add up.
    func push(_ key: String, by force: Force) {
        let sum = (next.pushes[key] ?? .zero) + force
        // Each push is within the limits; the sum is clamped to them.
        next.pushes[key] = Force(
            min(max(sum.dx, -1e9), 1e9), min(max(sum.dy, -1e9), 1e9))
        sendChanges()
    }

    // MARK: Orders

    private func sendChanges() {
        guard hasItems, !isBusy, next.hasChanges else { return }
        isFinished = false
        perform(.none)
    }

    private func perform(_ ticks: ForceOrder.Ticks) {
        var order = next
        let rev = order.rev
        next = ForceOrder(rev: rev)
        order.ticks = ticks
        if lines.isEmpty { order.taking = settings.pace.isFinalOnly ? .ifFinished : .always }
        isBusy = true
        workers.perform(order, on: number)
    }

    private func take(_ answer: ForceAnswer) {
        isBusy = false
        if let failure = answer.failure {
            stream?.end("failed", failure)
            return
        }
        isFinished = answer.isFinished
        hasNews = answer.hasNews || next.rev != answer.rev
        if !answer.lines.isEmpty {
            lines = answer.lines[...]
            stream?.requestRoom()
        }
        if let finish = answer.newFinish { stream?.didFinish(finish, cells: keys.count) }
        if next.hasChanges { return sendChanges() }
        if answer.isCutShort { return perform(settings.pace.isFinalOnly ? .all : .visible) }
        requestNextTicks()
    }

    /// Orders the next ticks when they are due, and writes frames if the client has read the last ones.
    private func requestNextTicks() {
        guard hasItems, !isBusy else { return }
        if isFinished {
            due = nil
            timer?.unschedule()
            if hasNews, lines.isEmpty { perform(.none) }
            return
        }
        if settings.pace.isFinalOnly { return perform(.all) }
        let now = loop.now
        let time = due ?? now.advanced(by: settings.pace.interval)
        due = time
        if now >= time {
            // At their pace, without catching up after a delay.
            due = max(time.advanced(by: settings.pace.interval), now)
            timer?.unschedule()
            return perform(.visible)
        }
        let wait = now.duration(to: time)
        if let timer {
            timer.reschedule(after: wait)
        } else {
            timer = try? loop.schedule(after: wait) { [unowned self] in
                if !isBusy { requestNextTicks() }
            }
        }
    }

    // MARK: Sending

    func produce(into sink: any LineSink) -> Bool {
        if lines.isEmpty { return false }
        while sink.hasRoom, let line = lines.popFirst() { sink.send(line: line, ByteSlice([])) }
        if !lines.isEmpty { return true }
        lines = []
        // The client has read everything: it gets the current positions next.
        if hasNews, !isBusy, !(settings.pace.isFinalOnly && !isFinished) { perform(.none) }
        return false
    }

    func close() {
        workers.close(number)
        timer = nil
        lines = []
        next = ForceOrder()
        keys = []
        hasItems = false
    }
}
