// The images of the terminal of the tests.

import TerminalCells

/// What a terminal shows of images. Cells that are written or erased take their part of an image away, as some terminals
/// do, and others do only for sixels.
struct TerminalImages {
    struct Image {
        /// Nil for sixels.
        var id: UInt32?
        var place: CellPlace
        var size: TerminalSize
        var content: ImageContent
        /// The cells that still show it.
        var cells: Set<CellPlace>
    }

    /// The pixels of a cell.
    static let cell = (width: 8, height: 12)

    private(set) var shown: [Image] = []
    /// Those of kitty's protocol that are not complete.
    private var begun: (keys: [Substring: Substring], data: [UInt8])?

    /// Images of which every cell is there.
    var whole: [Image] {
        shown.filter { $0.cells.count == $0.size.rows * $0.size.columns }
    }

    mutating func clear(_ row: Int, _ column: Int) {
        let place = CellPlace(row: row, column: column)
        for index in shown.indices { shown[index].cells.remove(place) }
        // Of one that is kept the data is still there.
        shown.removeAll { $0.cells.isEmpty && $0.id == nil }
    }

    private mutating func add(
        _ id: UInt32?, _ content: ImageContent, _ place: CellPlace, _ size: TerminalSize
    ) {
        var cells: Set<CellPlace> = []
        for row in place.row..<place.row + size.rows {
            for column in place.column..<place.column + size.columns {
                clear(row, column)
                cells.insert(CellPlace(row: row, column: column))
            }
        }
        shown.removeAll { $0.id == id && id != nil }
        shown.append(Image(id: id, place: place, size: size, content: content, cells: cells))
    }

    // MARK: Sequences

    /// The data of a sixel image.
    /// - Returns: what is wrong with it.
    mutating func takeSixel(_ data: [UInt8], at place: CellPlace) -> String? {
        let prefix = Array("0;1;0q".utf8)
        guard data.starts(with: prefix) else { return "parameters of sixels" }
        let content = Array(data.dropFirst(prefix.count))
        let head = String(decoding: content.prefix { $0 != UInt8(ascii: "#") }, as: UTF8.self)
        let numbers = head.dropFirst().split(separator: ";").compactMap { Int($0) }
        guard head.hasPrefix("\""), numbers.count == 4 else { return "the size of sixels" }
        let size = TerminalSize(
            rows: (numbers[3] + Self.cell.height - 1) / Self.cell.height,
            columns: (numbers[2] + Self.cell.width - 1) / Self.cell.width)
        add(nil, .sixel(content), place, size)
        return nil
    }

    /// A command of kitty's protocol.
    /// - Returns: what is wrong with it.
    mutating func takeKitty(_ command: [UInt8], at place: CellPlace) -> String? {
        let parts = command.split(separator: UInt8(ascii: ";"), maxSplits: 1)
        let text = String(decoding: parts.first ?? [], as: UTF8.self)
        let data = Array(parts.count > 1 ? parts[1] : [])
        guard text.hasPrefix("G"), data.count <= 4096 else { return "a command for images" }
        var keys: [Substring: Substring] = [:]
        for pair in text.dropFirst().split(separator: ",") {
            let sides = pair.split(separator: "=")
            guard sides.count == 2 else { return "a key of images" }
            keys[sides[0]] = sides[1]
        }
        guard keys["q"] == "2" else { return "a command that is answered" }
        if keys["a"] == "d" {
            guard keys["d"] == "I", let id = keys["i"].flatMap({ UInt32($0) }) else {
                return "what is deleted"
            }
            if !shown.contains(where: { $0.id == id }) { return "an image that is not there" }
            shown.removeAll { $0.id == id }
            return nil
        }
        let first = begun?.keys ?? keys
        let all = (begun?.data ?? []) + data
        begun = keys["m"] == "1" ? (first, all) : nil
        return begun == nil ? show(first, all, at: place) : nil
    }

    private mutating func show(
        _ keys: [Substring: Substring], _ data: [UInt8], at place: CellPlace
    ) -> String? {
        guard keys["a"] == "T", keys["f"] == "100", keys["C"] == "1",
            let id = keys["i"].flatMap({ UInt32($0) }),
            let rows = keys["r"].flatMap({ Int($0) }),
            let columns = keys["c"].flatMap({ Int($0) }), let bytes = Self.decode(data)
        else { return "keys of an image" }
        let size = TerminalSize(rows: rows, columns: columns)
        add(id, keys["t"] == "f" ? .kittyFile(bytes) : .kittyPNG(bytes), place, size)
        return nil
    }

    private static func decode(_ base64: [UInt8]) -> [UInt8]? {
        let digits = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        guard base64.count % 4 == 0 else { return nil }
        var bytes: [UInt8] = []
        var (bits, count) = (0, 0)
        for byte in base64 where byte != UInt8(ascii: "=") {
            guard let digit = digits.firstIndex(of: byte) else { return nil }
            bits = bits << 6 | digit
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(bits >> count & 255))
            }
        }
        return bytes
    }
}
