import Foundation
import TestSupport
import Testing

/// PNGs that Python has made, of all kinds, and their pixels.
struct PictureFolder {
    let folder: TemporaryFolder

    /// Each image `NAME.png` has its pixels in `NAME.rgba`.
    init(seed: UInt64, count: Int) throws {
        folder = try TemporaryFolder()
        try folder.write("make.py", Self.program)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = [
            folder.path("make.py"), folder.path(""), "\(seed)", "\(count)",
        ]
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }

    func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: folder.path(name))))
    }

    /// Writes random images: in each form of samples, with all filters, compressed in different ways.
    private static let program = """
        import random, struct, sys, zlib
        folder, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
        random = random.Random(seed)
        KINDS = [(0, d) for d in (1, 2, 4, 8, 16)] + [(3, d) for d in (1, 2, 4, 8)]
        KINDS += [(kind, d) for kind in (2, 4, 6) for d in (8, 16)]
        CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}

        def chunk(kind, data):
            return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

        def paeth(a, b, c):
            p = a + b - c
            return min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]

        def filtered(kind, row, above, step):
            out = bytearray([kind])
            for i, byte in enumerate(row):
                a = row[i - step] if i >= step else 0
                b, c = above[i], above[i - step] if i >= step else 0
                out.append((byte - [0, a, b, (a + b) // 2, paeth(a, b, c)][kind]) & 255)
            return out

        def image(color, depth, width, height):
            most, channels = (1 << depth) - 1, CHANNELS[color]
            palette, alphas, key = [], [], None
            if color == 3:
                palette = [tuple(random.randrange(256) for _ in range(3)) for _ in range(random.randint(1, most + 1))]
                alphas = [random.randrange(256) for _ in range(random.randint(0, len(palette)))]
            noise = random.random() < 0.5
            rows, above, raw, rgba = [], None, bytearray(), bytearray()
            for y in range(height):
                samples = []
                for x in range(width * channels):
                    top = len(palette) - 1 if color == 3 else most
                    samples.append(random.randint(0, top) if noise else (x * 7 + y * 3) % (top + 1))
                rows.append(samples)
            if color in (0, 2) and random.random() < 0.5:
                key = rows[0][:channels]
            step = max(1, channels * depth // 8)
            above = bytes((width * channels * depth + 7) // 8)
            for samples in rows:
                if depth == 16:
                    row = b"".join(struct.pack(">H", s) for s in samples)
                elif depth == 8:
                    row = bytes(samples)
                else:
                    text = "".join(format(s, f"0{depth}b") for s in samples)
                    text += "0" * (-len(text) % 8)
                    row = bytes(int(text[i:i + 8], 2) for i in range(0, len(text), 8))
                raw += filtered(random.randrange(5), row, above, step)
                above = row
                for x in range(width):
                    part = samples[x * channels:(x + 1) * channels]
                    b = [s >> 8 if depth == 16 else s * 255 // most for s in part]
                    if color == 3:
                        rgba += bytes(palette[part[0]]) + bytes([alphas[part[0]] if part[0] < len(alphas) else 255])
                    else:
                        alpha = b[-1] if color in (4, 6) else 0 if part == key else 255
                        rgba += bytes([b[0]] * 3 if color in (0, 4) else b[:3]) + bytes([alpha])
            level = random.choice((0, 1, 6, 9))
            way = random.choice((zlib.Z_DEFAULT_STRATEGY, zlib.Z_FIXED, zlib.Z_HUFFMAN_ONLY, zlib.Z_RLE))
            maker = zlib.compressobj(level, zlib.DEFLATED, random.choice((9, 12, 15)), 8, way)
            data = maker.compress(bytes(raw)) + maker.flush()
            out = b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, 0))
            out += chunk(b"tEXt", b"Comment\\0x")
            if palette:
                out += chunk(b"PLTE", b"".join(bytes(c) for c in palette))
            if alphas:
                out += chunk(b"tRNS", bytes(alphas))
            if key is not None:
                out += chunk(b"tRNS", b"".join(struct.pack(">H", s) for s in key))
            while data:
                size = random.choice((len(data), 1, 7, 100))
                out += chunk(b"IDAT", data[:size])
                data = data[size:]
            return out + chunk(b"IEND", b""), bytes(rgba), (width, height)

        for number in range(count):
            color, depth = KINDS[number % len(KINDS)]
            png, rgba, size = image(color, depth, random.randint(1, 40), random.randint(1, 40))
            name = f"{folder}/{number}"
            open(name + ".png", "wb").write(png)
            open(name + ".rgba", "wb").write(struct.pack(">II", *size) + rgba)
        """
}
