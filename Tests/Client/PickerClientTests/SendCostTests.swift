// What it costs to send a request for which others wait.

import PickerClient
import SystemInterface
import TestSupport
import Testing

@Suite struct SendCostTests {
    /// How many bytes are moved for each of so many requests that wait at once until the socket takes them,
    /// and how many references are counted.
    private func costOfEach(of count: Int) throws -> (moved: Int, retains: Int) {
        let (mine, other) = try UnixSocket.pair().boxed()
        let loop = PollLoop()
        let connection = PickerConnection(adopting: try mine.descriptor.duplicate(), on: loop)
        try other.descriptor.setNonBlocking()
        for _ in 0..<count { connection.send(.ping).then { _ in } }
        let waiting = connection.queuedBytes
        #expect(waiting > count * 20, "the socket takes a few hundred lines")
        var piece = [UInt8](repeating: 0, count: 1 << 20)
        var moved = 0
        var retains = 0
        while connection.queuedBytes > 0 {
            while case .bytes? = try? other.descriptor.read(into: &piece) {}
            let before = connection.queuedBytes
            let cost = Cost.of { loop.run { connection.queuedBytes < before } }
            moved += cost.moved
            retains += cost.retains
        }
        return (moved / count, retains / count)
    }

    @Test("a request is sent at the same cost behind 20,000 others as behind 2,000")
    func queue() throws {
        let few = try costOfEach(of: 2000)
        let many = try costOfEach(of: 20_000)
        #expect(many.moved <= few.moved * 3 / 2 + 64, "\(many) for each, not \(few)")
        #expect(many.retains <= few.retains * 3 / 2 + 16, "\(many) for each, not \(few)")
    }
}
