import SystemInterface
import TestSupport
import Testing

@testable import ProcessesPlugin

@Suite("What a plugin prints") struct PluginOutputTests {
    @Test("lines are those of a plain split, cut after 1,024 bytes, however the bytes come")
    func lines() throws {
        try withSeed { random in
            for round in 0..<40 {
                let place = Comment(rawValue: "round \(round), seed \(random.seed)")
                let loop = FakeLoop()
                let (read, written) = try OwnedDescriptor.pipe().boxed()
                var printed: [String] = []
                let output = PluginOutput { printed.append($0) }
                try output.read(read, on: loop)
                var all: [UInt8] = []
                for _ in 0..<Int.random(in: 1...30, using: &random) {
                    let length =
                        [0, 1, 3, 1023, 1024, 1025, 5000].randomElement(using: &random) ?? 0
                    var bytes = [UInt8](
                        repeating: UInt8(ascii: "a") + UInt8(round % 26), count: length)
                    if Bool.random(using: &random) { bytes.append(UInt8(ascii: "\n")) }
                    all += bytes
                    try written.descriptor.writeAll(bytes)
                    loop.turn()
                }
                let lines = all.split(
                    separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false
                )
                .map { String(decoding: $0.prefix(PluginOutput.longestLine), as: UTF8.self) }
                #expect(printed == lines.dropLast(), place)
                // What has no end of line is a line by the end of the process.
                output.drain()
                #expect(printed == (lines.last == "" ? lines.dropLast() : lines), place)
                output.close()
            }
        }
    }
}
