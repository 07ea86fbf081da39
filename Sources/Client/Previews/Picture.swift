internal import Picking
internal import TerminalCells

/// A PNG in the form in which a terminal shows it.
struct Picture {
    /// Where a cell's size is not known, it is twice as high as wide.
    private static let usualCell = CellPixels(width: 10, height: 20)
    /// A longer PNG is not sent to the terminal as a whole.
    private static let mostSent = 64 << 10

    private let file: PNGFile
    private let path: [UInt8]
    private let area: TerminalSize
    private let terminal: TerminalFeatures

    /// - Parameters:
    ///   - bytes: The content of the file.
    ///   - path: Its absolute path.
    ///   - area: The cells for it.
    ///   - terminal: What the terminal can do.
    /// - Throws: why it can't be shown.
    init(
        _ bytes: [UInt8], at path: [UInt8], in area: TerminalSize, on terminal: TerminalFeatures
    ) throws(ImageFault) {
        file = try PNGFile(bytes)
        self.path = path
        self.area = area
        self.terminal = terminal
    }

    func content() throws(ImageFault) -> PreviewContent {
        switch terminal.images {
        case .kitty: if let image = kitty { return .image(image) }
        case .sixel: if let image = try sixel { return .image(image) }
        case .none: break
        }
        let image = try PixelImage(file, fitting: area.columns, 2 * area.rows)
        return .text(BlockPicture.lines(of: image), firstMatch: nil, isCut: false)
    }

    /// One that fits is as large as its pixels: to make it as large as whole cells would change its shape.
    private var kitty: PreviewImage? {
        guard let cell = terminal.cell ?? Self.usualCell else { return nil }
        let (width, height) = PixelImage.fit(
            file.width, file.height, into: area.columns * cell.width, area.rows * cell.height)
        let isWhole = width == file.width && height == file.height
        let isStretched = !isWhole || terminal.cell == nil
        let size = TerminalSize(
            rows: Self.cells(height, of: cell.height, area.rows, isRounded: isStretched),
            columns: Self.cells(width, of: cell.width, area.columns, isRounded: isStretched))
        if terminal.readsFiles {
            return PreviewImage(.kittyFile(path), size, isStretched: isStretched)
        }
        if file.bytes.count > Self.mostSent { return nil }
        return PreviewImage(.kittyPNG(file.bytes), size, isStretched: isStretched)
    }

    /// The cells that so many pixels take, or the nearest number.
    private static func cells(
        _ pixels: Int, of cell: Int, _ most: Int, isRounded: Bool
    ) -> Int {
        max(1, min(most, (pixels + (isRounded ? cell / 2 : cell - 1)) / cell))
    }

    /// One that is too long is made coarser and smaller, but not much.
    private var sixel: PreviewImage? {
        get throws(ImageFault) {
            // Without a row that is left free, terminals scroll at the end of their screen.
            guard let cell = terminal.cell, area.rows > 1 else { return nil }
            let image = try PixelImage(
                file, fitting: area.columns * cell.width, (area.rows - 1) * cell.height)
            for (quarters, colors) in [(4, 256), (4, 64), (3, 64), (2, 64)] {
                let smaller = quarters == 4 ? image : image.scaled(quarters: quarters)
                guard let data = SixelWriter.data(of: smaller, mostColors: colors) else { continue }
                let rows = (smaller.height + 5) / 6 * 6
                return PreviewImage(
                    .sixel(data),
                    TerminalSize(
                        rows: min(area.rows, (rows + cell.height - 1) / cell.height),
                        columns: (smaller.width + cell.width - 1) / cell.width))
            }
            return nil
        }
    }
}
