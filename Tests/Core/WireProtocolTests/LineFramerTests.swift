import TestSupport
import Testing
import WireProtocol

@Suite struct LineFramerTests {
    /// The output, as comparable text.
    private enum Seen: Equatable {
        case line([UInt8])
        case overlong
        /// A line without its end, of which this many bytes are kept.
        case incomplete(Int)
    }

    private func take(_ framer: inout LineFramer, _ seen: inout [Seen]) {
        while let event = framer.next() {
            switch event {
            case .line(let line): seen.append(.line(Array(line)))
            case .overlong: seen.append(.overlong)
            }
        }
    }

    private func frame(_ bytes: [UInt8], limit: Int, pieces: (Int) -> Int) -> [Seen] {
        var framer = LineFramer(limit: limit)
        var seen: [Seen] = []
        var at = 0
        while at < bytes.count {
            let end = min(at + max(1, pieces(bytes.count - at)), bytes.count)
            framer.append(bytes[at..<end])
            take(&framer, &seen)
            #expect(framer.bufferedCount <= limit)
            at = end
        }
        if framer.bufferedCount > 0 { seen.append(.incomplete(framer.bufferedCount)) }
        return seen
    }

    /// The same computed from the whole input at once.
    private func plain(_ bytes: [UInt8], limit: Int) -> [Seen] {
        let parts = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        var seen: [Seen] = []
        for (index, part) in parts.enumerated() {
            let isLast = index == parts.count - 1
            if part.count > limit {
                seen.append(.overlong)
            } else if isLast {
                if !part.isEmpty { seen.append(.incomplete(part.count)) }
            } else {
                let line = part.last == 0x0D ? part.dropLast() : part
                if !line.isEmpty { seen.append(.line(Array(line))) }
            }
        }
        return seen
    }

    @Test("however the bytes are split, the lines are those of the whole input", arguments: 1...40)
    func splitting(_ seed: UInt64) {
        var random = SeededNumbers(seed: seed)
        let limit = 1 + random.below(20)
        let alphabet: [UInt8] = [0x0A, 0x61, 0x62, 0x63, 0x64, 0x0D, 0x65, 0x66]
        let bytes = (0..<random.below(600)).map { _ in alphabet[random.below(alphabet.count)] }
        let expected = plain(bytes, limit: limit)
        #expect(frame(bytes, limit: limit) { _ in 1 } == expected, "seed \(seed)")
        #expect(frame(bytes, limit: limit) { $0 } == expected, "seed \(seed)")
        #expect(
            frame(bytes, limit: limit) { _ in 1 + random.below(60) } == expected, "seed \(seed)")
    }

    @Test("a line at the limit passes, one more byte is refused, and the next line passes")
    func limit() {
        let fits = [UInt8](repeating: 0x78, count: LineFramer.standardLimit)
        let input = fits + [0x0A] + fits + [0x79, 0x0A, 0x7A, 0x0A]
        for size in [input.count, 65_536, 4_096] {
            let seen = frame(input, limit: LineFramer.standardLimit) { _ in size }
            #expect(seen == [.line(fits), .overlong, .line([0x7A])])
        }
    }

    @Test("an endless line is reported once and never kept")
    func endless() {
        var framer = LineFramer(limit: 1_000)
        var seen: [Seen] = []
        let piece = [UInt8](repeating: 0x78, count: 700)
        for _ in 0..<1_000 {
            framer.append(piece[...])
            take(&framer, &seen)
            #expect(framer.bufferedCount <= 1_000)
        }
        #expect(seen == [.overlong])
        framer.append(Array("end\nnext\n".utf8)[...])
        take(&framer, &seen)
        #expect(seen == [.overlong, .line(Array("next".utf8))])
        #expect(framer.bufferedCount == 0)
    }

    @Test("a megabyte byte by byte takes linear time")
    func bytewise() {
        var framer = LineFramer()
        var looks = 0
        let start = ProcessorTime.ofThread()
        for _ in 0..<1_000_000 {
            framer.append([0x78])
            if framer.next() != nil { looks += 1 }
        }
        let took = ProcessorTime.ofThread() - start
        #expect(looks == 0)
        #expect(framer.bufferedCount == 1_000_000)
        // Quadratic work would be 5·10¹¹ steps: minutes.
        #expect(took < .seconds(60))
    }

    @Test("a retained line is not changed by later input")
    func keptLines() {
        var framer = LineFramer()
        framer.append(Array("first\nsec".utf8)[...])
        guard case .line(let kept)? = framer.next() else {
            Issue.record("no line")
            return
        }
        framer.append(Array("ond\n".utf8)[...])
        guard case .line(let second)? = framer.next() else {
            Issue.record("no line")
            return
        }
        #expect(text(Array(kept)) == "first")
        #expect(text(Array(second)) == "second")
    }
}
