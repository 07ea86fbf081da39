import Glibc
package import PickerClient
package import SystemInterface
package import TerminalCells

// Frames on a terminal that may be slow. A frame is made only when all of the one before is written, so what waits is
// never more than one frame, and what a slow terminal shows next is the newest. Frames are numbered: what a key was
// meant for is known by the last one that was wholly written when the key was read.

/// Shows frames on a terminal, without waiting for it.
package final class ScreenPainter {
    /// Makes the next frame.
    package var makeFrame: () -> ScreenFrame = {
        ScreenFrame(grid: CellGrid(rows: 0, columns: 0))
    }
    /// Called when a frame was made, with its number.
    package var onFrame: (Int) -> Void = { _ in }
    /// The last frame that was wholly written; 0 before the first.
    package private(set) var seen = 0
    /// Whether `onFrame` is being called: what changes then is not seen.
    package private(set) var isNumbering = false
    /// Whether frames are shown.
    package private(set) var isActive = false

    /// The bytes that the terminal has not taken yet: those of one frame at most.
    package var waitingBytes: Int { queue.count - written }

    private let output: DescriptorBox
    private let loop: PollLoop
    private let place: FrameWriter.Place
    private var writer: FrameWriter
    private var size: TerminalSize
    private var area = AreaPlace()
    /// When the terminal was asked for the place of the area.
    private var askedAt: Int64 = 0
    private var made = 0
    private var queue: [UInt8] = []
    private var written = 0
    private var isForgetting = false
    /// What the terminal is asked behind the next frame.
    private var question: [UInt8] = []
    private var isDirty = false
    private var isScheduled = false
    private var watch: PollWatch?

    /// A painter of a terminal at `output`, which does not block.
    package init(
        _ place: FrameWriter.Place, size: TerminalSize, features: TerminalFeatures,
        to output: DescriptorBox, on loop: PollLoop
    ) {
        self.place = place
        self.size = size
        self.output = output
        self.loop = loop
        writer = FrameWriter(place, size: size, features: features)
    }

    deinit { watch?.cancel() }

    // MARK: The place of the area

    /// Whether the terminal was asked a moment ago where the frames are, and has not answered. One that takes longer does
    /// not answer at all.
    package var isAsking: Bool { area.isAsking && loop.nanoseconds - askedAt < 300_000_000 }

    /// Takes an answer of the terminal: in which of its rows the cursor was.
    package func take(cursorRow: Int) {
        area.take(cursorRow)
        if area.row != nil { writer.hasMouse = true }
        paintSoon()
    }

    /// The row of frames that is in a row of the terminal; nil if it is in none, or that is not known.
    package func row(at terminalRow: Int) -> Int? {
        let first = place == .whole ? 0 : area.row
        guard let row = first.map({ terminalRow - $0 }), row >= 0, row < writer.area.rows else {
            return nil
        }
        return row
    }

    private func askForPlace() {
        guard place != .whole, area.asks(withCursorIn: writer.cursorRow) else { return }
        queue += FrameWriter.askingForCursor
        askedAt = loop.nanoseconds
    }

    /// Shows frames from now on.
    package func begin() {
        if isActive { return }
        isActive = true
        area.move()
        queue = writer.enter()
        written = 0
        flush()
        paintSoon()
    }

    /// Nothing on the screen is known any more: it has another size, or another program has drawn on it.
    package func forget(size: TerminalSize) {
        self.size = size
        isForgetting = true
        area.move()
        paintSoon()
    }

    /// Sends the terminal a question, behind a frame: it is answered among what is typed.
    package func ask(_ question: [UInt8]) {
        self.question += question
        paintSoon()
    }

    /// Shows a new frame at the end of the loop's turn.
    package func paintSoon() {
        isDirty = true
        if isScheduled || !isActive { return }
        isScheduled = true
        loop.atEndOfTurn { [weak self] in
            self?.isScheduled = false
            self?.paint()
        }
    }

    private func paint() {
        guard isActive, isDirty, queue.isEmpty else { return }
        isDirty = false
        if isForgetting {
            isForgetting = false
            queue = writer.forget(size: size)
        }
        queue += writer.update(to: makeFrame()) + question
        question = []
        askForPlace()
        made += 1
        isNumbering = true
        onFrame(made)
        isNumbering = false
        flush()
    }

    private func flush() {
        while written < queue.count {
            switch try? output.descriptor.write(queue, from: written) {
            case .bytes(let count): written += count
            case .wouldBlock: return wait()
            // The terminal is gone, which the reader of keys is told, too.
            case .closed, nil: written = queue.count
            }
        }
        queue = []
        written = 0
        watch?.isPaused = true
        seen = made
        if isDirty { paintSoon() }
    }

    /// Goes on when the terminal takes more.
    private func wait() {
        if let watch {
            watch.isPaused = false
            return
        }
        watch = loop.watch(output.number, for: .writable) { [weak self] _ in self?.flush() }
    }

    /// Shows no more frames, until the next `begin`, and leaves the screen to others. A terminal that is not read keeps
    /// it for a second at most; what waits there is then given up for what brings the screen back.
    package func leave(keeping: Bool) {
        guard isActive else { return }
        isActive = false
        watch?.cancel()
        watch = nil
        queue += writer.leave(keeping: keeping)
        if !writeRest(within: 1_000_000_000) {
            tcflush(output.number, TCOFLUSH)
            queue = FrameWriter.rescue(place)
            written = 0
            _ = writeRest(within: 0)
        }
        queue = []
        written = 0
    }

    /// - Returns: false if the terminal did not take all of it.
    private func writeRest(within nanoseconds: Int64) -> Bool {
        let deadline = loop.nanoseconds + nanoseconds
        while written < queue.count {
            switch try? output.descriptor.write(queue, from: written) {
            case .bytes(let count): written += count
            case .wouldBlock:
                let left = (deadline - loop.nanoseconds) / 1_000_000
                if left <= 0 { return false }
                output.descriptor.poll(for: POLLOUT, milliseconds: Int32(left))
            case .closed, nil: return true
            }
        }
        return true
    }
}
