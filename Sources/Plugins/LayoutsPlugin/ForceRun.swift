internal import JSONText
internal import Layouts
internal import WireProtocol

/// The worker's side of a force layout: its cells, and the frames that the client was sent.
///
/// While cells move, a frame is sent, with two decimals, once its cell is half a pixel away from the
/// position that the client has. When they rest, every frame that differs from the client's in any bit is
/// sent exactly.
final class ForceRun {
    /// The smallest visible distance, in px.
    private static let visible = 0.5
    /// The target size of a line, in bytes.
    private static let lineBytes = 64 << 10

    private let sub: RequestID
    private let itemsID: RequestID
    private let layout: ForceLayout<String>
    private var rev = 0
    /// The keys that left since frames were last written.
    private var gone = Set<String>()
    private var sentContent: Size?
    /// The last revision that the client was told.
    private var sentRev = -1
    /// Whether the client has rounded frames.
    private var hasRounded = false
    /// Whether the client must be told that the cells are at rest.
    private var owesFinish = false
    /// Whether anything may have changed since frames were last written.
    private var hasNews = true
    /// The distance that the fastest cells have moved since the last visible change, in px: an upper bound
    /// for all cells.
    private var moved = 0.0

    init(_ opening: LayoutWorker.Opening) throws(LayoutError) {
        sub = opening.sub
        itemsID = opening.items
        layout = try ForceLayout(bounds: opening.bounds, options: opening.options, threads: 1)
    }

    /// Carries out an order.
    ///
    /// - Parameters:
    ///   - order: The order.
    ///   - isTimeUp: Called after each tick; true ends the order.
    /// - Returns: The result.
    func perform(_ order: ForceOrder, isTimeUp: () -> Bool) -> ForceAnswer {
        var answer = ForceAnswer(rev: order.rev)
        rev = order.rev
        if rev != sentRev { hasNews = true }
        do throws(LayoutError) {
            try change(by: order)
        } catch {
            answer.failure = "\(error)"
            return answer
        }
        let wasFinished = layout.lastTick.finish != nil
        if !wasFinished { owesFinish = true }
        answer.isCutShort = !tick(order.ticks, isTimeUp)
        let isFinished = layout.lastTick.finish != nil
        answer.isFinished = isFinished
        if isFinished, !wasFinished { answer.newFinish = finished(layout.lastTick) }
        let takes =
            switch order.taking {
            case .never: false
            case .always: true
            case .ifFinished: isFinished
            }
        // An order that was cut short continues before its frames are worth writing.
        if takes, hasNews, !answer.isCutShort {
            answer.lines = takeLines()
            hasNews = false
        }
        answer.hasNews = hasNews
        return answer
    }

    // MARK: Changes

    private func change(by order: ForceOrder) throws(LayoutError) {
        if order.hasChanges { hasNews = true }
        if let items = order.items { try change(to: items) }
        if let bounds = order.bounds { try layout.setBounds(bounds) }
        if let options = order.options { try layout.setOptions(options) }
        // In a fixed order, not the dictionary's: pushes on several cells add up in the layout.
        for (key, force) in order.pushes.sorted(by: { $0.key < $1.key }) where layout.contains(key)
        {
            try layout.push(key, by: force)
        }
    }

    private func change(to items: ForceOrder.Items) throws(LayoutError) {
        // Sorted: the order of removals affects the last bits of the results.
        for key in items.removed.sorted() where layout.contains(key) { try remove(key) }
        if items.isReset {
            let kept = Set(items.keys)
            for key in layout.items where !kept.contains(key) { try remove(key) }
        }
        let new = items.keys.filter { !layout.contains($0) }
        for key in new { gone.remove(key) }
        try layout.insert(new)
    }

    private func remove(_ key: String) throws(LayoutError) {
        try layout.remove(key)
        gone.insert(key)
    }

    // MARK: Ticks

    /// - Returns: Whether all requested ticks were run.
    private func tick(_ ticks: ForceOrder.Ticks, _ isTimeUp: () -> Bool) -> Bool {
        if case .none = ticks { return true }
        if layout.lastTick.finish != nil { return true }
        hasNews = true
        repeat {
            let tick = layout.tick()
            moved += tick.largestMove
            let isEnough = if case .visible = ticks { moved >= Self.visible } else { false }
            if isEnough || tick.finish != nil {
                moved = 0
                return true
            }
        } while !isTimeUp()
        return false
    }

    // MARK: Frames

    /// The lines with everything that the client does not have.
    private func takeLines() -> [[UInt8]] {
        let tick = layout.lastTick
        let content = layout.contentSize
        let isExact = tick.finish != nil
        // A frame that was sent rounded may equal the exact one; it must be sent all the same.
        if isExact, hasRounded { layout.forgetTakenFrames() }
        var message = LayoutFrames(
            sub: sub, items: itemsID, rev: rev, tick: tick.ticks, movement: tick.movement,
            contentWidth: content.width, contentHeight: content.height)
        if !isExact {
            message.movement = Self.rounded(tick.movement)
            message.contentWidth = Self.rounded(content.width)
            message.contentHeight = Self.rounded(content.height)
        }
        var lines: [[UInt8]] = []
        var frames = JSONWriter(capacity: Self.lineBytes + 4096)
        var isAny = false
        layout.takeFrames(movedBy: Self.visible) { key, frame in
            var record = LayoutFrames.Frame(key: key, frame)
            if !isExact {
                record.x = Self.rounded(record.x)
                record.y = Self.rounded(record.y)
            }
            record.write(to: &frames)
            isAny = true
            if frames.count >= Self.lineBytes {
                lines.append(line(message, frames, JSONWriter()))
                frames.removeAll()
            }
        }
        hasRounded = !isExact && (hasRounded || isAny)
        var left = JSONWriter()
        while let key = gone.popFirst() {
            left.string(key)
            if frames.count + left.count >= Self.lineBytes {
                lines.append(line(message, frames, left))
                frames.removeAll()
                left.removeAll()
            }
        }
        // While cells move, the content size changes with each tick; that alone is not sent.
        let told = Size(width: message.contentWidth, height: message.contentHeight)
        let isOtherSize = isExact ? told != sentContent : sentContent == nil
        let isOther = isOtherSize || rev != sentRev
        if frames.count > 0 || left.count > 0 || lines.isEmpty && isOther {
            lines.append(line(message, frames, left))
        }
        if !lines.isEmpty {
            sentContent = told
            sentRev = rev
        }
        if isExact, owesFinish {
            owesFinish = false
            lines.append(WireLine.notification(finished(tick)))
        }
        return lines
    }

    private func line(
        _ message: LayoutFrames, _ frames: borrowing JSONWriter, _ gone: borrowing JSONWriter
    ) -> [UInt8] {
        var line = JSONWriter(capacity: frames.count + gone.count + 512)
        line.notification(LayoutFrames.method) {
            message.write(to: &$0, frames: frames, gone: gone)
        }
        return line.finishLine()
    }

    private func finished(_ tick: ForceTick) -> LayoutFinished {
        LayoutFinished(
            sub: sub, rev: rev, ticks: tick.ticks, movement: tick.movement,
            isAtRest: tick.finish == .rest)
    }

    /// Rounds to a hundredth of a pixel. Numbers too large for hundredths stay unchanged.
    private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}
