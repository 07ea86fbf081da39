internal import JSONText
internal import Layouts
internal import PluginInterface
internal import WireProtocol

/// A list, grid or flow of a client's items, on the loop.
///
/// The layout reports which frames a change may have touched. When there is room for output, those that
/// differ from what the client was sent are sent. So a slow reader gets each frame once, in its current
/// state, after any number of changes.
///
/// Invariants: `sent` has, by index, the frame that the client has of each item, or NaN. Outside the stale
/// range the client has the current frames. No key in `gone` is that of an item.
final class OrderedFrames: LayoutBody {
    /// The target size of a line, in bytes.
    private static let lineBytes = 64 << 10
    /// The number of frames that are compared in one go.
    private static let step = 256

    weak var stream: LayoutStream?
    private let sub: RequestID
    private let itemsID: RequestID
    private let shared: SessionLayouts
    private var settings: LayoutSettings
    private var layout: any OrderedLayout
    private var keys: [String] = []
    private var rev = -1
    /// The last revision that the client was told.
    private var sentRev = -1
    private var sent: [Rect] = []
    private var sentContent: Size?
    private var gone = Set<String>()
    /// The number of items at the start and at the end whose frames the client has.
    private var cleanPrefix = Int.max
    private var cleanSuffix = Int.max

    /// The frame of an item that was never sent: equal to no frame.
    private static let nowhere = Rect(x: .nan, y: .nan, width: .nan, height: .nan)

    init(
        sub: RequestID, items: RequestID, settings: LayoutSettings, shared: SessionLayouts
    ) throws(ProtocolError) {
        self.sub = sub
        itemsID = items
        self.settings = settings
        self.shared = shared
        layout = try Self.makeLayout(settings)
    }

    private static func makeLayout(
        _ settings: LayoutSettings
    ) throws(ProtocolError) -> any OrderedLayout {
        do throws(LayoutError) {
            switch settings.kind {
            case .list, .force:
                return try ListLayout(bounds: settings.bounds, options: settings.list)
            case .grid: return try GridLayout(bounds: settings.bounds, options: settings.grid)
            case .flow: return try FlowLayout(bounds: settings.bounds, options: settings.flow)
            }
        } catch {
            throw .invalidParams(at: "options", "\(error)")
        }
    }

    // MARK: Items

    func reset(to keys: [String], from old: [String], rev: Int) {
        var former = [String: Rect](minimumCapacity: old.count)
        for (key, frame) in zip(old, sent) where !frame.minX.isNaN { former[key] = frame }
        layout.remove(0..<layout.count)
        insert(keys[...], at: 0)
        self.keys = keys
        self.rev = rev
        // Before the first window nothing was sent, and no key needs to be looked up.
        sent =
            former.isEmpty
            ? Array(repeating: Self.nowhere, count: keys.count)
            : keys.map { former.removeValue(forKey: $0) ?? Self.nowhere }
        gone.reserveCapacity(gone.count + former.count)
        for key in former.keys { gone.insert(key) }
        if !gone.isEmpty { for key in keys { gone.remove(key) } }
        noteChange()
    }

    func change(by delta: ItemsDelta, to keys: [String], from old: [String]) {
        rev = delta.to
        if delta.deleted.isEmpty && delta.moved.isEmpty && delta.inserted.isEmpty {
            // No frame moves, but the client is told, because it may wait for this revision.
            stream?.requestRoom()
            return
        }
        for index in delta.deleted where !sent[index].minX.isNaN { gone.insert(old[index]) }
        if !gone.isEmpty { for entry in delta.inserted { gone.remove(entry.item.key) } }
        // The delta fits the keys, so it fits the parallel array, too.
        sent = (try? delta.arrange(sent) { _ in Self.nowhere }) ?? sent
        self.keys = keys
        let leaving = (delta.deleted + delta.moved.map(\.from)).sorted()
        for run in Self.runs(leaving).reversed() { layout.remove(run) }
        let arriving = (delta.inserted.map(\.index) + delta.moved.map(\.to)).sorted()
        for run in Self.runs(arriving) { insert(keys[run], at: run.lowerBound) }
        noteChange()
    }

    /// Runs of consecutive numbers, in ascending order.
    private static func runs(_ numbers: [Int]) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        for number in numbers {
            if let last = runs.last, last.upperBound == number {
                runs[runs.count - 1] = last.lowerBound..<number + 1
            } else {
                runs.append(number..<number + 1)
            }
        }
        return runs
    }

    private func insert(_ keys: ArraySlice<String>, at index: Int) {
        let sizes = shared.sizes
        let known: [Size?] =
            sizes.count == 0
            ? Array(repeating: nil, count: keys.count) : keys.map { sizes[$0] }
        // The sizes were validated on arrival, and the ledger checked the count.
        try? layout.insert(known, at: index)
    }

    // MARK: Changes

    func adopt(_ settings: LayoutSettings) {
        self.settings = settings
        // All values were validated against the same limits when they were read.
        try? layout.setBounds(settings.bounds)
        switch layout {
        case let list as ListLayout: try? list.setOptions(settings.list)
        case let grid as GridLayout: try? grid.setOptions(settings.grid)
        case let flow as FlowLayout: try? flow.setOptions(settings.flow)
        default: break
        }
        noteChange()
    }

    func measured(_ sizes: [(index: Int, size: Size)]) {
        var isChanged = false
        for (index, size) in sizes {
            // As above.
            if (try? layout.measure(size, at: index)) == true { isChanged = true }
        }
        guard isChanged else { return }
        noteChange()
    }

    /// Collects from the layout what may have changed, to be sent.
    private func noteChange() {
        let change = layout.takeChange()
        let count = layout.count
        cleanPrefix = min(cleanPrefix, change.placed.lowerBound)
        cleanSuffix = min(cleanSuffix, change.dy == 0 ? count - change.placed.upperBound : 0)
        stream?.requestRoom()
    }

    /// The items whose current frames the client may not have.
    private var stale: Range<Int> {
        let count = keys.count
        let start = min(cleanPrefix, count)
        return start..<max(start, count - min(cleanSuffix, count))
    }

    // MARK: Sending

    func produce(into sink: any LineSink) -> Bool {
        guard rev >= 0 else { return false }
        while sink.hasRoom {
            var frames = JSONWriter(capacity: Self.lineBytes / 4)
            collect(into: &frames)
            var left = JSONWriter()
            while left.count + frames.count < Self.lineBytes, let key = gone.popFirst() {
                left.string(key)
            }
            let content = layout.contentSize
            if frames.count == 0, left.count == 0, content == sentContent, rev == sentRev {
                return false
            }
            sentContent = content
            sentRev = rev
            let message = LayoutFrames(
                sub: sub, items: itemsID, rev: rev, contentWidth: content.width,
                contentHeight: content.height)
            sink.send { writer in
                writer.notification(LayoutFrames.method) {
                    message.write(to: &$0, frames: frames, gone: left)
                }
            }
        }
        return true
    }

    /// Writes the next frames that differ from the client's, up to the length of a line.
    private func collect(into rows: inout JSONWriter) {
        let stale = stale
        var next = stale.lowerBound
        while next < stale.upperBound, rows.count < Self.lineBytes {
            let end = min(next + Self.step, stale.upperBound)
            layout.forEachFrame(in: next..<end) { index, frame in
                if sent[index] == frame { return }
                sent[index] = frame
                LayoutFrames.Frame(key: keys[index], frame).write(to: &rows)
            }
            next = end
        }
        if next < stale.upperBound {
            cleanPrefix = next
        } else {
            cleanPrefix = .max
            cleanSuffix = .max
        }
    }

    func close() {
        keys = []
        sent = []
        gone = []
        rev = -1
        layout.remove(0..<layout.count)
    }
}

extension LayoutFrames.Frame {
    init(key: String, _ frame: Rect) {
        self.init(
            key: key, x: frame.minX, y: frame.minY, width: frame.size.width,
            height: frame.size.height)
    }
}
