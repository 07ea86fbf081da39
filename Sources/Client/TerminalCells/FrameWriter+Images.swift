// Images of a frame.
//
// An image is over the cells, but that of a sixel goes where its cells are written or erased, and some terminals treat
// those of kitty's protocol alike. So nothing is written under an image that stays. Where that can't be helped, because
// the rest of a line beside it was erased, it is put there again. To remove one, its cells are written, and one that the
// terminal keeps is deleted by its number.

extension FrameWriter {
    func isInside(_ rect: CellRect) -> Bool {
        !rect.isEmpty && rect.row >= 0 && rect.column >= 0 && rect.rows <= area.rows - rect.row
            && rect.columns <= area.columns - rect.column
    }

    /// Deletes those that the terminal keeps.
    func deletion(of images: [ImagePlacement]) -> [UInt8] {
        images.reduce(into: []) { bytes, image in
            if image.content.isKept { bytes += ImageSequences.delete(image.id) }
        }
    }

    /// Puts images on the screen. The cursor is back where it was, and so is the style.
    func puts(_ images: [ImagePlacement]) -> [UInt8] {
        images.reduce(into: []) { bytes, image in
            var moved = pen
            moved.move(to: CellPlace(row: image.rect.row, column: image.rect.column))
            bytes += Sequences.savingCursor + moved.takeBytes() + ImageSequences.put(image)
            bytes += Sequences.restoringCursor
        }
    }

    /// The same frame without images.
    mutating func takingImagesAway() -> [UInt8] {
        if shown.images.isEmpty { return [] }
        return update(
            to: ScreenFrame(
                grid: shown.grid.blank(under: shown.images), cursor: shown.cursor))
    }
}

extension CellGrid {
    /// This grid with blanks under images.
    func blank(under images: [ImagePlacement]) -> CellGrid {
        var grid = self
        for image in images { grid.fill(image.rect, style: .plain) }
        return grid
    }

    /// This grid with cells under images that are like no others.
    func covered(by images: [ImagePlacement]) -> CellGrid {
        var grid = self
        let covered = PackedCell(glyph: .covered, style: .plain)
        for image in images {
            for row in image.rect.row..<image.rect.row + image.rect.rows {
                for column in image.rect.column..<image.rect.column + image.rect.columns {
                    grid.set(covered, row, column)
                }
            }
        }
        return grid
    }
}
