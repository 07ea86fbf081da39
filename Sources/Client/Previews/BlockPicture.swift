package import TerminalCells

/// An image of half cells, each of which is a square pixel, nearly.
package enum BlockPicture {
    /// The lines of an image, of which each shows two rows of pixels. Where it is transparent there is nothing.
    package static func lines(of image: PixelImage) -> [StyledText] {
        stride(from: 0, to: image.height, by: 2).map { row in
            var line = StyledText()
            var (run, style) = ("", CellStyle.plain)
            for column in 0..<image.width {
                let (character, look) = cell(image, column, row)
                if look != style {
                    line.append(content: run, style: style)
                    (run, style) = ("", look)
                }
                run.append(character)
            }
            line.append(content: run, style: style)
            return line
        }
    }

    private static func cell(
        _ image: PixelImage, _ column: Int, _ row: Int
    ) -> (Character, CellStyle) {
        let upper = color(image, column, row)
        let lower = row + 1 < image.height ? color(image, column, row + 1) : nil
        switch (upper, lower) {
        case (nil, nil): return (" ", .plain)
        case (let color?, nil): return ("▀", CellStyle(foreground: color))
        case (nil, let color?): return ("▄", CellStyle(foreground: color))
        case (let first?, let second?):
            if first == second { return (" ", CellStyle(background: first)) }
            return ("▀", CellStyle(foreground: first, background: second))
        }
    }

    private static func color(
        _ image: PixelImage, _ column: Int, _ row: Int
    ) -> TerminalColor? {
        image.color(column, row).map { .rgb($0.red, $0.green, $0.blue) }
    }
}
