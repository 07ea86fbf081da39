import Foundation
import FoundationXML
import PickerClient
import TerminalCells
import Testing
import pickerctl

/// Layouts as characters and as SVG.
@Suite struct LayoutPictureTests {
    private func cell(
        _ name: String, _ x: Double, _ y: Double, _ width: Double, _ height: Double
    ) -> LayoutPicture.Cell {
        LayoutPicture.Cell(
            frame: LayoutFrame(x: x, y: y, width: width, height: height), name: name)
    }

    @Test("Cells with room are boxes, low ones have names in brackets, small ones a mark")
    func drawing() {
        let picture = LayoutPicture(
            [
                cell("notes", 0, 0, 100, 80), cell("a long name of a file", 120, 0, 80, 20),
                cell("x", 180, 60, 10, 10),
            ], width: 200, height: 80)
        let expected = [
            "+--------+  [a lon…]",
            "|        |",
            "|notes   |",
            "+--------+        o",
        ]
        #expect(LayoutDrawing.lines(picture, columns: 20) == expected)
    }

    @Test("Items outside the window are drawn, too; excess is cut off or scaled to fit")
    func bounds() {
        let picture = LayoutPicture(
            [cell("a", -50, 0, 10, 10), cell("b", 140, 390, 10, 10)], width: 100, height: 100)
        #expect(picture.bounds == LayoutFrame(x: -50, y: 0, width: 200, height: 400))
        #expect(LayoutDrawing.lines(picture, columns: 40).count == 40)
        #expect(LayoutDrawing.lines(picture, columns: 40, rows: 7).count == 7)
        let small = LayoutDrawing.lines(picture, columns: 40, rows: 7, fits: true)
        #expect(small.count == 7)
        #expect(small.joined().filter { $0 == "o" }.count == 2)
    }

    @Test("Names have no control characters, and wide characters take two columns")
    func hostile() {
        let picture = LayoutPicture(
            [cell("\u{1b}[2Jx\n", 0, 0, 200, 20), cell("日本語", 0, 20, 80, 20)], width: 200,
            height: 40)
        let lines = LayoutDrawing.lines(picture, columns: 20)
        #expect(lines == ["[\\x1b[2Jx\\n        ]", "[日本語]"])
    }

    @Test("Any frames are drawn, however large, small or many")
    func extremes() {
        let cells = [
            cell("a", -1e9, -1e9, 1e9, 2e9), cell("b", 1e9, 1e9, 0, 0),
            cell("", 3, 3, 0.001, 0.001),
        ]
        for (width, height) in [(1e9, 1e-3), (1e-3, 1e9), (1, 1)] {
            let picture = LayoutPicture(cells, width: width, height: height)
            for columns in [0, 1, 2, 80] {
                #expect(LayoutDrawing.lines(picture, columns: columns).count <= 10_000)
                #expect(LayoutDrawing.lines(picture, columns: columns, rows: 0).count == 1)
            }
        }
        let none = LayoutPicture([], width: 9, height: 9)
        #expect(LayoutDrawing.lines(none, columns: 4) == ["", ""])
    }

    /// Reads SVG as a parser does: the titles, and whether it is sound.
    private final class Reader: NSObject, XMLParserDelegate {
        var titles: [String] = []
        private var isTitle = false

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
            qualifiedName: String?, attributes: [String: String] = [:]
        ) {
            isTitle = name == "title"
            if isTitle { titles.append("") }
        }

        func parser(_ parser: XMLParser, foundCharacters text: String) {
            if isTitle { titles[titles.count - 1] += text }
        }

        func parser(
            _ parser: XMLParser, didEndElement name: String, namespaceURI: String?,
            qualifiedName: String?
        ) {
            isTitle = false
        }
    }

    @Test("SVG is valid for any names, and contains them as shown")
    func svg() {
        let names = [
            "a.md", "<script>alert('x')</script>", "a & b \"c\" ]]>", "\u{1}\u{0}x\u{FFFE}",
            "\u{202e}gnp.exe", "日本語", "&lt;", "",
        ]
        let picture = LayoutPicture(
            names.enumerated().map { cell($1, Double($0) * 20.5, -3, 20, 10) }, width: 100,
            height: 50)
        let text = LayoutSVG.text(picture)
        let parser = XMLParser(data: Data(text.utf8))
        let reader = Reader()
        parser.delegate = reader
        #expect(parser.parse(), "\(parser.parserError.map { "\($0)" } ?? "")")
        #expect(
            reader.titles
                == names.map {
                    VisibleText.escaping($0).replacingOccurrences(of: "\u{FFFE}", with: "\u{FFFD}")
                })
        #expect(text.contains(#"viewBox="0 -3 163.5 53""#))
    }

    @Test("A name too long for its box ends in …, and its tooltip is complete")
    func ellipsis() {
        let picture = LayoutPicture(
            [
                LayoutPicture.Cell(
                    frame: LayoutFrame(x: 0, y: 0, width: 62, height: 20), name: "a long name.txt"),
                LayoutPicture.Cell(
                    frame: LayoutFrame(x: 0, y: 0, width: 62, height: 20), name: "short.md"),
                LayoutPicture.Cell(
                    frame: LayoutFrame(x: 0, y: 0, width: 1e-9, height: 1e-9), name: "none"),
            ], width: 100, height: 50)
        let text = LayoutSVG.text(picture)
        // 56 pixels for letters of 12: seven columns, and a name of eight.
        for shown in [">a long…<", ">short.…<", ">…<", "<title>a long name.txt</title>"] {
            #expect(text.contains(shown), "\(shown)")
        }
    }
}
