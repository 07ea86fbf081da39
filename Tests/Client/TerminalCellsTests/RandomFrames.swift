// Random pictures of a screen.

import TerminalCells
import TestSupport

struct RandomFrames {
    /// Characters on whose width all terminals agree, or nearly all.
    static let sure = [
        "a", "b", "c", "x", "y", "z", " ", " ", " ", "0", "/", "é", "ж", "漢", "字", "가", "─", "│",
        "…", "→", "ก",
    ]
    /// Those on whose width they don't.
    static let disputed = [
        "e\u{301}", "👩‍💻", "🇩🇪", "☎️", "⚠", "\u{E0A0}", "ᄀ", "ก็", "क्षि", "漢\u{20DD}", "🙂",
    ]

    private let styles: [CellStyle]
    private let disputes: Bool

    init(disputes: Bool, using random: inout SeededRandom) {
        self.disputes = disputes
        styles = [.plain, .plain] + (0..<5).map { _ in Self.style(using: &random) }
    }

    private static func style(using random: inout SeededRandom) -> CellStyle {
        CellStyle(
            foreground: color(using: &random), background: color(using: &random),
            isBold: random.chance(0.3), isDim: random.chance(0.2), isItalic: random.chance(0.2),
            isUnderlined: random.chance(0.2), isReversed: random.chance(0.2),
            isStruckOut: random.chance(0.1))
    }

    private static func color(using random: inout SeededRandom) -> TerminalColor {
        let byte = UInt8.random(in: 0...255, using: &random)
        return switch Int.random(in: 0...4, using: &random) {
        case 0: .indexed(byte % 16)
        case 1: .indexed(byte)
        case 2: .rgb(byte, 100, 200)
        default: .standard
        }
    }

    func text(using random: inout SeededRandom) -> StyledText {
        var text = StyledText()
        for _ in 0...Int.random(in: 0...3, using: &random) {
            var run = ""
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                let pool = disputes && random.chance(0.1) ? Self.disputed : Self.sure
                run += pool.randomElement(using: &random) ?? "?"
            }
            text.append(escaping: run, style: styles.randomElement(using: &random) ?? .plain)
        }
        return text
    }

    /// A picture that differs from another one in a little, or in everything.
    func change(_ frame: ScreenFrame, using random: inout SeededRandom) -> ScreenFrame {
        var grid = frame.grid
        if random.chance(0.2) { grid = CellGrid(rows: grid.rows, columns: grid.columns) }
        let most = random.chance(0.5) ? 2 : grid.rows * 2
        for _ in 0..<Int.random(in: 0...most, using: &random) {
            let row = Int.random(in: -1...grid.rows, using: &random)
            let column = Int.random(in: -1...grid.columns, using: &random)
            let width = Int.random(in: 0...grid.columns, using: &random)
            if random.chance(0.3) {
                grid.fill(
                    CellRect(
                        row: row, column: column,
                        rows: Int.random(in: 0...3, using: &random), columns: width),
                    style: styles.randomElement(using: &random) ?? .plain)
            } else {
                let cuts: [CellGrid.Cut] = [.end, .start, .none]
                grid.put(
                    text(using: &random), row: row, column: column, width: width,
                    cut: cuts.randomElement(using: &random) ?? .end)
            }
        }
        let cursor = CellPlace(
            row: Int.random(in: 0..<grid.rows, using: &random),
            column: Int.random(in: 0..<grid.columns, using: &random))
        return ScreenFrame(grid: grid, cursor: random.chance(0.3) ? nil : cursor)
    }
}

extension CellGrid.Cell {
    /// Without what can't be seen.
    func seen(inColor hasColor: Bool) -> CellGrid.Cell {
        var seen = self
        if !hasColor {
            seen.style.foreground = .standard
            seen.style.background = .standard
        }
        if text == " ", !style.isReversed, !style.isUnderlined, !style.isStruckOut {
            seen.style = CellStyle(background: seen.style.background)
        }
        return seen
    }
}
