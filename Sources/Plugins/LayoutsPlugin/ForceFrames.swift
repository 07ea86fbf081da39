internal import JSONText
internal import Layouts
internal import PluginInterface
internal import SystemInterface
internal import SystemdEventLoop
internal import WireProtocol

/// A force layout of a client's items: the loop's side. Nothing here costs more for many cells, but for
/// handing on their keys.
///
/// One order is under way at a time. What changes meanwhile is gathered and goes with the next, which goes
/// out at once; ticks go out at the pace that the client asked for. Frames are written down, on the worker,
/// only for a client that has been sent all those before: one that reads slowly gets the cells where they are
/// then, while they go on moving at their pace.
final class ForceFrames: LayoutBody {
    private let sub: RequestID
    private let loop: any EventLoop
    private let workers: LayoutWorkers
    weak var delegate: (any LayoutBodyDelegate)?

    private var number = 0
    private var settings: LayoutSettings
    /// The keys of the items.
    private var keys = Set<String>()
    /// What goes out with the next order.
    private var next = ForceOrder()
    /// Whether there is an order that was not answered.
    private var isBusy = false
    /// Whether there were any items yet.
    private var hasItems = false
    private var isFinished = false
    /// Whether something is to be seen that was not written down.
    private var hasNews = false
    /// When the next ticks are due, while cells move.
    private var due: MonotonicInstant?
    private var timer: (any TimerSource)?
    /// What was written down and not sent, the first line that is left and on.
    private var lines: ArraySlice<[UInt8]> = []

    init(
        sub: RequestID, items: RequestID, settings: LayoutSettings, workers: LayoutWorkers,
        loop: any EventLoop
    ) throws(ProtocolError) {
        self.sub = sub
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

    /// Whether cells move, or something is still to be written down that the client could have.
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
            // Where an item is in the list makes no difference, but the client is told of the revision: it
            // may wait for it.
            hasNews = true
            if !isBusy { goOn() }
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
        if !isBusy { goOn() }
    }

    func measured(_ indexes: [Int]) {}

    /// Whether there is an item with this key.
    ///
    /// - Complexity: O(1).
    func contains(_ key: String) -> Bool { keys.contains(key) }

    /// Adds a force to an item's cell, for one tick. Several before the next add up.
    func push(_ key: String, by force: Force) {
        let sum = (next.pushes[key] ?? .zero) + force
        // Each was within the limits, and their sum is kept there.
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
            delegate?.didFail(failure)
            return
        }
        isFinished = answer.isFinished
        hasNews = answer.hasNews || next.rev != answer.rev
        if !answer.lines.isEmpty {
            lines = answer.lines[...]
            delegate?.requestRoom()
        }
        if let tick = answer.newFinish {
            delegate?.didFinish(
                LayoutFinished(
                    sub: sub, rev: answer.rev, ticks: tick.ticks, movement: tick.movement,
                    isAtRest: tick.finish == .rest), cells: keys.count)
        }
        if next.hasChanges { return sendChanges() }
        if answer.isCutShort { return perform(settings.pace.isFinalOnly ? .all : .visible) }
        goOn()
    }

    /// Has the next ticks made when they are due, and frames written down that the client can have.
    private func goOn() {
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
            // At their pace, and not faster after a delay.
            due = max(time.advanced(by: settings.pace.interval), now)
            timer?.unschedule()
            return perform(.visible)
        }
        let wait = now.duration(to: time)
        if let timer {
            timer.reschedule(after: wait)
        } else {
            timer = try? loop.schedule(after: wait) { [unowned self] in
                if !isBusy { goOn() }
            }
        }
    }

    // MARK: Sending

    func produce(into sink: any LineSink) -> Bool {
        if lines.isEmpty { return false }
        while sink.hasRoom, let line = lines.popFirst() { sink.send(line: line, ByteSlice([])) }
        if !lines.isEmpty { return true }
        lines = []
        // It has read all that there was: now it gets the cells where they are.
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
