internal import JSONText
internal import Layouts
internal import WireProtocol

/// One force layout of one client, on the worker's side: its cells, and what the client was sent of them.
///
/// While cells move, a frame is sent once its cell is half a pixel from where the client has it, with two
/// decimals. Once they rest, every frame that the client does not have to the bit is sent as it is.
final class ForceRun {
    /// How far a cell must have moved to be seen somewhere else, in px.
    private static let visible = 0.5
    /// The size that lines aim at, in bytes.
    private static let lineBytes = 64 << 10

    private let sub: RequestID
    private let itemsID: RequestID
    private let layout: ForceLayout<String>
    private var rev = 0
    /// Keys that left since frames were last taken.
    private var gone = Set<String>()
    private var sentContent: Size?
    /// The revision that the client was told of last.
    private var sentRev = -1
    /// Whether the client has frames with two decimals.
    private var hasRounded = false
    /// Whether the client is to be told of the rest.
    private var owesFinish = false
    /// Whether anything may differ from what was last taken.
    private var hasNews = true
    /// How far the fastest cells have moved since something was last to be seen of it, in px: no cell has
    /// moved farther.
    private var moved = 0.0

    init(sub: RequestID, items: RequestID, bounds: Rect, options: ForceOptions) throws(LayoutError)
    {
        self.sub = sub
        itemsID = items
        layout = try ForceLayout(bounds: bounds, options: options, threads: 1)
    }

    /// Carries out an order.
    ///
    /// - Parameters:
    ///   - order: What is to be done.
    ///   - isTimeUp: Is asked after each tick; true ends them.
    /// - Returns: What came of it.
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
        if isFinished, !wasFinished { answer.newFinish = layout.lastTick }
        let takes =
            switch order.taking {
            case .never: false
            case .always: true
            case .ifFinished: isFinished
            }
        // What was cut short is to be gone on with before it is worth a look.
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
        // In one order whatever the dictionary's: pushes on several cells add up in the layout.
        for (key, force) in order.pushes.sorted(by: { $0.key < $1.key }) where layout.contains(key)
        {
            try layout.push(key, by: force)
        }
    }

    private func change(to items: ForceOrder.Items) throws(LayoutError) {
        // Sorted: in which order cells go decides about the last bits.
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

    /// - Returns: Whether the ticks asked for were had.
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

    /// The lines with all that the client does not have yet.
    private func takeLines() -> [[UInt8]] {
        let tick = layout.lastTick
        let content = layout.contentSize
        let isExact = tick.finish != nil
        // What was sent with two decimals may be where it is to the bit, and yet it must be sent.
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
        // On the way the content changes with each tick, which alone is no news.
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
            lines.append(finishLine(tick))
        }
        return lines
    }

    private func line(
        _ message: LayoutFrames, _ frames: borrowing JSONWriter, _ gone: borrowing JSONWriter
    ) -> [UInt8] {
        var line = JSONWriter(capacity: frames.count + gone.count + 512)
        line.notification(LayoutFrames.method) { writer in
            message.write(to: &writer) {
                $0.splice(frames)
            } gone: {
                $0.splice(gone)
            }
        }
        return line.finishLine()
    }

    private func finishLine(_ tick: ForceTick) -> [UInt8] {
        let message = LayoutFinished(
            sub: sub, rev: rev, ticks: tick.ticks, movement: tick.movement,
            isAtRest: tick.finish == .rest)
        var line = JSONWriter()
        line.notification(message)
        return line.finishLine()
    }

    /// To a hundredth of a pixel. What is too large to have hundredths stays as it is.
    private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}
