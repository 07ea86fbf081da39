import PickerClient
import TerminalCells

// A layout as SVG: a box with a name for each item. A name that is too long for its box ends in "…", with
// the full name as a tooltip. Names are made visible and escaped, so they can't contain markup or break the
// file.

package enum LayoutSVG {
    /// The document, with a final newline.
    package static func text(_ picture: LayoutPicture) -> String {
        let all = picture.bounds
        let box = "\(number(all.x)) \(number(all.y)) \(number(all.width)) \(number(all.height))"
        var text = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(number(all.width))" \
            height="\(number(all.height))" viewBox="\(box)" font-family="sans-serif">

            """
        for cell in picture.cells { text += self.cell(cell) }
        return text + "</svg>\n"
    }

    private static func cell(_ cell: LayoutPicture.Cell) -> String {
        let frame = cell.frame
        let size = fontSize(frame.height)
        // The width of a sans-serif letter is about six tenths of its size. The inner picture clips wider
        // text.
        let columns = (frame.width - 2 * margin) / (0.6 * size)
        let shown = DisplayWidth.truncating(
            VisibleText.escaping(cell.name), to: Int(min(max(columns, 1), 10_000)))
        return """
            <svg x="\(number(frame.x))" y="\(number(frame.y))" width="\(number(frame.width))" \
            height="\(number(frame.height))"><title>\(escaped(cell.name))</title><rect width="100%" \
            height="100%" fill="#e8eef7" stroke="#5b7aa9"/><text x="\(number(margin))" y="50%" \
            dy="0.35em" font-size="\(number(size))" fill="#1b2a41">\(markup(shown))</text></svg>

            """
    }

    /// The margin between the box and the name.
    private static let margin = 3.0

    private static func fontSize(_ height: Double) -> Double {
        min(14, max(1, (height * 0.6).rounded(.down)))
    }

    /// The shortest text of the number, without a zero fraction.
    static func number(_ value: Double) -> String {
        if value.rounded() == value, value.magnitude < 1e15 { return String(Int64(value)) }
        return "\(value)"
    }

    /// Escapes text for XML. Characters that XML can't represent were escaped before, or are U+FFFD.
    static func escaped(_ name: String) -> String { markup(VisibleText.escaping(name)) }

    private static func markup(_ visible: String) -> String {
        var text = ""
        for scalar in visible.unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "'": text += "&apos;"
            case "\u{FFFE}", "\u{FFFF}": text += "\u{FFFD}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
