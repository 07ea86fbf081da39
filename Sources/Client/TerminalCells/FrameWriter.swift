// What a terminal has to be sent so that it shows one frame after another.
//
// The writer knows what is on the screen, because nobody else draws there: it sends what differs. Whatever happened to
// the screen in between is told by `forget`. It sends few kinds of sequences, which all terminals know that are in use:
// moves, colors, the erasing of the rest of a line or of the screen, and modes, which it all takes back; and images (see
// FrameWriter+Images).

/// Writes the fewest bytes from what is on a screen to what is to be there.
package struct FrameWriter {
    /// Where on a terminal frames are shown.
    package enum Place: Hashable, Sendable {
        /// On a screen of their own, which the terminal takes away in the end.
        case whole
        /// In so many rows from that of the cursor on, under a prompt; what is above stays.
        case below(rows: Int)
    }

    package let place: Place
    package let features: TerminalFeatures
    package private(set) var size: TerminalSize
    var pen: TerminalPen
    private(set) var shown: ScreenFrame
    private var isCursorShown = false
    /// Whether the mouse is wanted, as it always is on a whole screen: an area can't say what is pointed at before it is
    /// known where it is. It is given back in the end.
    package var hasMouse = false
    /// Whether the terminal was told so.
    private var isMouseOn = false

    /// A writer to a terminal of a size, to which nothing was written yet.
    package init(_ place: Place, size: TerminalSize, features: TerminalFeatures) {
        self.place = place
        self.features = features
        self.size = size
        let area = Self.area(place, size)
        pen = TerminalPen(columns: area.columns, isRelative: place != .whole)
        shown = ScreenFrame(grid: CellGrid(rows: area.rows, columns: area.columns))
    }

    /// The rows and columns that frames are to have. Of greater ones the rest is not shown.
    package var area: TerminalSize { Self.area(place, size) }

    private static func area(_ place: Place, _ size: TerminalSize) -> TerminalSize {
        let rows =
            switch place {
            case .whole: size.rows
            case .below(let rows): min(rows, size.rows)
            }
        return TerminalSize(rows: max(1, rows), columns: max(1, size.columns))
    }

    /// Begins: the cursor is in the first column. Nothing is shown then, not even the cursor.
    package mutating func enter() -> [UInt8] {
        startAnew()
        isMouseOn = place == .whole
        return (place == .whole ? Sequences.otherScreen : []) + modes + blankArea
    }

    /// Begins anew with nothing on the screen, because of another size of the terminal, or because somebody else wrote
    /// to it. It was stopped: `leave` before, `enter` after it.
    package mutating func forget(size: TerminalSize) -> [UInt8] {
        let above = place == .whole ? 0 : rowsAbove(columns: max(1, size.columns))
        self.size = size
        var bytes = deletion(of: shown.images) + modes
        startAnew()
        if above > 0 { bytes += Sequences.up(above) }
        return bytes + blankArea
    }

    private mutating func startAnew() {
        pen = TerminalPen(columns: area.columns, isRelative: place != .whole)
        shown = ScreenFrame(grid: CellGrid(rows: area.rows, columns: area.columns))
        isCursorShown = false
    }

    /// The rows of the area above the cursor, if the terminal has fewer columns now and has wrapped them.
    private func rowsAbove(columns: Int) -> Int {
        (0..<pen.row).reduce(pen.column / columns) { rows, row in
            let end = RowDrawing.end(of: row, in: shown.grid, features)
            return rows + max(1, (end + columns - 1) / columns)
        }
    }

    private var modes: [UInt8] {
        let modes = Sequences.unwrapped + Sequences.hidingCursor + Sequences.bracketedPaste
        return place == .whole ? modes + Sequences.mouse : modes
    }

    /// Blanks everything, and leads to the first cell.
    private var blankArea: [UInt8] {
        if place == .whole { return Sequences.plain + Sequences.home + Sequences.blankScreen }
        return Sequences.plain + Self.rows(area.rows)
    }

    /// Makes so many blank rows from that of the cursor on.
    private static func rows(_ count: Int) -> [UInt8] {
        let blank: [UInt8] = [0x0D] + Sequences.blankRest
        if count == 1 { return blank }
        return blank + Array(repeating: 0x0A, count: count - 1) + Sequences.up(count - 1)
    }

    // MARK: Frames

    /// The row of the area in which the cursor is.
    package var cursorRow: Int { pen.row }

    /// What the terminal answers by the place of its cursor.
    package static var askingForCursor: [UInt8] { Sequences.cursorQuestion }

    /// The bytes after which the screen shows a frame; none if it does already.
    /// - Complexity: O(rows × columns).
    package mutating func update(to frame: ScreenFrame) -> [UInt8] {
        var mouse: [UInt8] = []
        if hasMouse, !isMouseOn {
            isMouseOn = true
            mouse = Sequences.mouse
        }
        if frame == shown { return mouse }
        let images = frame.images.filter { isInside($0.rect) }
        let grid = frame.grid.fitting(area)
        let frame = ScreenFrame(grid: grid, cursor: frame.cursor.map(inside), images: images)
        let kept = images.filter { shown.images.contains($0) }
        var bytes = mouse + deletion(of: shown.images.filter { !kept.contains($0) })
        if isCursorShown, frame.cursor == nil {
            bytes += Sequences.hidingCursor
            isCursorShown = false
        }
        let areImagesErased = draw(frame, around: kept)
        bytes += pen.takeBytes()
        if frame.cursor != nil, !isCursorShown {
            bytes += Sequences.showingCursor
            isCursorShown = true
        }
        shown = frame
        // Of a change that is as small as these sequences, nobody sees a half.
        if bytes.count > 32, features.hasSynchronizedOutput {
            bytes = Sequences.synchronized + bytes + Sequences.shownAtOnce
        }
        // They are long: nothing waits for the end of a frame meanwhile.
        return bytes + puts(areImagesErased ? images : images.filter { !kept.contains($0) })
    }

    private func inside(_ place: CellPlace) -> CellPlace {
        CellPlace(
            row: max(0, min(place.row, area.rows - 1)),
            column: max(0, min(place.column, area.columns - 1)))
    }

    /// Draws what differs, or everything on a blank screen, whichever is shorter.
    /// - Parameters:
    ///   - frame: What is to be shown.
    ///   - kept: The images that are on the screen, and are to stay.
    /// - Returns: Whether a part of these was erased.
    private mutating func draw(_ frame: ScreenFrame, around kept: [ImagePlacement]) -> Bool {
        let new = frame.grid.blank(under: frame.images).covered(by: kept)
        let old = shown.grid.covered(by: shown.images)
        var change = pen
        let areImagesErased = Self.draw(new, over: old, features, with: &change)
        if let cursor = frame.cursor { change.move(to: cursor) }
        // Less than what blanks the screen can't be shortened by it.
        if change.bytes.count > 16, kept.isEmpty {
            let blank = CellGrid(rows: area.rows, columns: area.columns)
            var repaint = pen
            repaint.move(to: CellPlace(row: 0, column: 0))
            repaint.eraseBelow()
            Self.draw(new, over: blank, features, with: &repaint)
            if let cursor = frame.cursor { repaint.move(to: cursor) }
            if repaint.bytes.count < change.bytes.count { change = repaint }
        }
        pen = change
        return areImagesErased
    }

    /// - Returns: Whether a part of an image was erased.
    @discardableResult
    private static func draw(
        _ new: CellGrid, over old: CellGrid, _ features: TerminalFeatures,
        with pen: inout TerminalPen
    ) -> Bool {
        func lastRow(_ grid: CellGrid) -> Int {
            (0..<grid.rows).last { RowDrawing.end(of: $0, in: grid, features) > 0 } ?? -1
        }
        let last = lastRow(new)
        // Several rows at the end are erased at once.
        let isErasing = lastRow(old) > last + 1
        var areImagesErased = false
        for row in 0..<(isErasing ? last + 1 : new.rows) {
            var drawing = RowDrawing(row: row, of: new, over: old, features)
            drawing.draw(with: &pen)
            if drawing.isImageErased { areImagesErased = true }
        }
        if isErasing {
            pen.move(to: CellPlace(row: last + 1, column: 0))
            pen.eraseBelow()
        }
        return areImagesErased
    }

    // MARK: The end

    /// Takes everything back. What is shown stays if it is to be kept, but for images, with the cursor under it: that of a whole screen is
    /// written again to the screen of before.
    package mutating func leave(keeping: Bool) -> [UInt8] {
        var bytes = takingImagesAway()
        if isMouseOn { bytes += Sequences.noMouse }
        if place == .whole { bytes += Sequences.plain + Sequences.firstScreen }
        let end = CellPlace(row: (0..<area.rows).last { hasContent($0) } ?? -1, column: 0)
        if keeping, end.row >= 0 {
            if place == .whole {
                bytes += Self.rows(end.row + 1)
                pen = TerminalPen(columns: area.columns, isRelative: true)
                let kept = shown.grid.fitting(
                    TerminalSize(rows: end.row + 1, columns: area.columns))
                let blank = CellGrid(rows: kept.rows, columns: kept.columns)
                Self.draw(kept, over: blank, features, with: &pen)
            }
            pen.move(to: end)
            bytes += pen.takeBytes() + Sequences.plain + [0x0D, 0x0A]
        } else if place != .whole {
            pen.move(to: CellPlace(row: 0, column: 0))
            pen.eraseBelow()
            bytes += pen.takeBytes() + Sequences.plain
        }
        startAnew()
        isMouseOn = false
        return bytes + Sequences.noPaste + Sequences.wrapped + Sequences.showingCursor
    }

    private func hasContent(_ row: Int) -> Bool {
        RowDrawing.end(of: row, in: shown.grid, features) > 0
    }

    /// The bytes that take everything back when nothing is known any more: for the handler of a crash.
    package static func rescue(_ place: Place) -> [UInt8] {
        // Of an image that was cut off, some terminals wait for the end, and take nothing else before that. A terminal
        // that does not know the mode ignores it; one that does may be waiting for the end of a frame.
        let bytes =
            Sequences.endOfText + Sequences.shownAtOnce + Sequences.plain + Sequences.noMouse
        let end = Sequences.noPaste + Sequences.wrapped + Sequences.showingCursor
        switch place {
        case .whole: return bytes + Sequences.firstScreen + end
        case .below: return bytes + [0x0D, 0x0A] + Sequences.blankRest + end
        }
    }
}
