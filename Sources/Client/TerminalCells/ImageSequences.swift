/// The sequences that show images and delete them.
enum ImageSequences {
    /// So many bytes are in one sequence of kitty's protocol, which allows 4,096 characters of base64.
    private static let chunk = 3072

    /// Shows an image with its first cell at the cursor. Where the cursor is then, depends on the terminal.
    static func put(_ image: ImagePlacement) -> [UInt8] {
        switch image.content {
        case .kittyFile(let path):
            return kitty("\(keys(image)),t=f", data: path[...])
        case .kittyPNG(let bytes): return chunks(of: bytes, image)
        case .sixel(let data):
            // Pixels that are not set stay as they are.
            return Array("\u{1B}P0;1;0q".utf8) + data + end
        }
    }

    /// Deletes an image that the terminal keeps, wherever it is shown, and its data.
    static func delete(_ id: UInt32) -> [UInt8] { kitty("a=d,d=I,i=\(id),q=2", data: []) }

    private static let end: [UInt8] = [0x1B, 0x5C]

    /// A PNG. The cursor stays, and nothing is answered.
    private static func keys(_ image: ImagePlacement) -> String {
        let size = image.isStretched ? "c=\(image.rect.columns),r=\(image.rect.rows)," : ""
        return "a=T,f=100,i=\(image.id),\(size)C=1,q=2"
    }

    private static func chunks(of bytes: [UInt8], _ image: ImagePlacement) -> [UInt8] {
        stride(from: 0, to: max(1, bytes.count), by: chunk).reduce(into: []) { result, start in
            let part = bytes[start..<min(bytes.count, start + chunk)]
            let more = "m=\(part.endIndex < bytes.count ? 1 : 0)"
            result += kitty(start == 0 ? "\(keys(image)),\(more)" : "\(more),q=2", data: part)
        }
    }

    private static func kitty(_ keys: String, data: ArraySlice<UInt8>) -> [UInt8] {
        let separator: [UInt8] = data.isEmpty ? [] : [UInt8(ascii: ";")]
        return Array("\u{1B}_G\(keys)".utf8) + separator + base64(data) + end
    }

    private static let digits = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func base64(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: 3) {
            let group = bytes[start..<min(bytes.endIndex, start + 3)]
            let bits = (0..<3).reduce(0) {
                $0 << 8 | ($1 < group.count ? Int(group[start + $1]) : 0)
            }
            for place in 0..<4 {
                text.append(
                    place <= group.count
                        ? digits[bits >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
            }
        }
        return text
    }
}
