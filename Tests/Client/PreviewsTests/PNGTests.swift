import Foundation
import Previews
import TestSupport
import Testing

@Suite("PNGs, decoded")
struct PNGTests {
    private static func pixels(_ bytes: [UInt8]) throws(ImageFault) -> PixelImage {
        try PixelImage(try PNGFile(bytes), fitting: 1 << 15, 1 << 15)
    }

    /// What is wrong with a PNG; nil if nothing is.
    private static func fault(_ bytes: [UInt8]) -> String? {
        do throws(ImageFault) {
            _ = try pixels(bytes)
            return nil
        } catch { return error.description }
    }

    @Test("Images of all kinds that Python has made have the pixels that it made them of")
    func kinds() throws {
        try withSeed { random in
            let count = testRounds(90)
            let made = try PictureFolder(seed: random.next() >> 1, count: count)
            for number in 0..<count {
                let image = try Self.pixels(try made.bytes("\(number).png"))
                let expected = try made.bytes("\(number).rgba")
                let size: [UInt8] = [0, 0, 0, UInt8(image.width), 0, 0, 0, UInt8(image.height)]
                // Colors that can't be seen are not kept.
                let seen = Self.seen(size + image.pixels)
                #expect(seen == Self.seen(expected), "image \(number)")
            }
        }
    }

    private static func seen(_ sized: [UInt8]) -> [UInt8] {
        sized.indices.map { $0 >= 8 && sized[$0 | 3] == 0 ? 0 : sized[$0] }
    }

    @Test("One that is cut off anywhere is none")
    func cut() throws {
        let made = try PictureFolder(seed: 7, count: 13)
        for number in [3, 6, 12] {
            let bytes = try made.bytes("\(number).png")
            for count in 0..<bytes.count {
                #expect(Self.fault(Array(bytes[..<count])) != nil, "\(number) after \(count)")
            }
        }
    }

    @Test("Whatever bytes are changed, it is decoded or refused, with checksums that fit or not")
    func mutations() throws {
        try withSeed { random in
            let made = try PictureFolder(seed: random.next() >> 1, count: 26)
            var decoded = 0
            for round in 0..<testRounds(400) {
                var bytes = try made.bytes("\(round % 26).png")
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    let place = Int.random(in: 8..<bytes.count, using: &random)
                    bytes[place] = UInt8.random(in: 0...255, using: &random)
                }
                if random.chance(0.9) { bytes = PNG.mended(bytes) }
                guard let file = try? PNGFile(bytes), file.width * file.height < 1 << 16 else {
                    continue
                }
                if let image = try? PixelImage(file, fitting: 20, 20) {
                    #expect(image.pixels.count == 4 * image.width * image.height)
                    decoded += 1
                }
            }
            #expect(decoded > 0)
        }
    }

    @Test("What does not fit together is refused, with a reason")
    func faults() {
        func png(_ body: (inout PNG) -> Void) -> String? {
            var png = PNG()
            body(&png)
            return Self.fault(png.bytes)
        }
        #expect(Self.fault([]) == "it is no PNG")
        #expect(Self.fault(Array("GIF89a".utf8)) == "it is no PNG")
        var changed = PNG(width: 1, height: 1, [1, 2, 3]).bytes
        #expect(Self.fault(changed) == nil)
        changed[changed.count - 20] ^= 1
        #expect(Self.fault(changed) == "it is damaged")
        let interlaced = png {
            $0.addHeader(width: 1, height: 1, isInterlaced: true)
            $0.add("IDAT", PNG.stored([0, 1, 2, 3]))
            $0.add("IEND", [])
        }
        #expect(interlaced == "it is interlaced")
        for (depth, color) in [(3, 0), (16, 3), (4, 2), (0, 0), (8, 1), (8, 7)] as [(UInt8, UInt8)]
        {
            let fault = png { $0.addHeader(width: 1, height: 1, depth: depth, color: color) }
            #expect(fault == "it is damaged")
        }
        let withoutPalette = png {
            $0.addHeader(width: 1, height: 1, color: 3)
            $0.add("IDAT", PNG.stored([0, 0]))
            $0.add("IEND", [])
        }
        #expect(withoutPalette == "it is damaged")
        let unknown = png {
            $0.addHeader(width: 1, height: 1)
            $0.add("XYZW", [])
        }
        #expect(unknown == "it has parts that are unknown")
        let wrongFilter = png {
            $0.addHeader(width: 1, height: 1)
            $0.add("IDAT", PNG.stored([5, 1, 2, 3]))
            $0.add("IEND", [])
        }
        #expect(wrongFilter == "it is damaged")
    }

    @Test("A size that is too great is refused before anything is allocated for it")
    func sizes() {
        for (width, height) in [
            (32_769, 1), (1, 32_769), (4097, 4096), (Int(Int32.max), Int(Int32.max)), (0, 1),
            (Int(UInt32.max), 2),
        ] {
            var png = PNG()
            png.addHeader(width: width, height: height, depth: 16, color: 6)
            png.add("IDAT", PNG.stored([0]))
            png.add("IEND", [])
            let reason =
                width == 0 ? "it is damaged" : "\(width) × \(height) pixels are more than 16 Mi"
            #expect(Self.fault(png.bytes) == reason)
        }
        let many = [UInt8](repeating: 0, count: PNGFile.mostBytes + 1)
        #expect(Self.fault(many) == "it has more than 8 MiB")
        // What it claims to be is not allocated at once.
        var claimed = PNG()
        claimed.addHeader(width: 4096, height: 4096, depth: 16, color: 6)
        claimed.add("IDAT", PNG.stored([0]))
        claimed.add("IEND", [])
        #expect(Self.fault(claimed.bytes) == "it is cut off")
    }

    @Test("Of a stream that would become long no more is decompressed than there are rows")
    func bomb() throws {
        // A repeated match of 258 bytes: 13 bits each, with codes that are fixed.
        var bits: [UInt8] = [1, 1, 0] + [0, 0, 1, 1, 0, 0, 0, 0]
        for _ in 0..<155_000 { bits += [1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0] }
        var stream: [UInt8] = [0x78, 0x01]
        for start in stride(from: 0, to: bits.count - 7, by: 8) {
            stream.append((0..<8).reduce(0) { $0 | bits[start + $1] << UInt8($1) })
        }
        var png = PNG()
        png.addHeader(width: 100, height: 100, color: 0)
        png.add("IDAT", stream)
        png.add("IEND", [])
        let start = ContinuousClock.now
        let image = try Self.pixels(png.bytes)
        #expect(image.pixels.count == 40_000)
        let cut = png.bytes.count
        #expect(cut > 200_000, "it would become 40 MB")
        #expect(ContinuousClock.now - start < .seconds(60))
    }
}
