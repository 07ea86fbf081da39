// The cost of a request in the server's handlers, and of an event per subscriber.

import EventLoops
import JSONText
import PickerModel
import TestSupport
import Testing
import WireProtocol

@testable import PickerService

@Suite struct RequestCostTests {
    private let fixture = ServerFixture(plugins: standardPlugins())

    private static let ping = #"{"jsonrpc":"2.0","id":1,"method":"daemon.ping","params":{}}"#

    @Test("rows that a handler frees are free at the end of its turn, without other work")
    func freedRows() throws {
        let document = fixture.add(["a", "b"])[0]
        fixture.loop.turn()
        let table = fixture.documents.table
        fixture.loop.enqueue { [documents = fixture.documents] in
            documents.apply(inserted: [
                Document(
                    key: document.key, root: document.root, path: document.path, size: 2,
                    modified: document.modified)
            ])
            #expect(table.rowsInUse == 3)
        }
        #expect(fixture.loop.turn() == 2)
        #expect(table.rowsInUse == 2)
    }

    /// All numbers here were measured in a debug build of Swift 6.3.
    @Test("a ping takes 4 allocations, and another one in the same turn 1")
    func ping() throws {
        let client = try fixture.connect()
        func cost(_ count: Int) throws -> Cost {
            let cost = fixture.loop.costOfHandlers {
                client.send(Array(repeating: Self.ping, count: count).joined(separator: "\n"))
            }
            #expect(try client.exchange().count == count)
            return cost
        }
        // One-time allocations are not the cost of a request.
        for _ in 0..<10 { _ = try cost(1) }
        _ = try cost(101)
        let one = try cost(1)
        #expect(
            one.isWithinHalfMore(of: Cost(allocations: 4, bytes: 217, retains: 259)), "\(one)")
        let further = (try cost(101) - one) / 100
        #expect(
            further.isWithinHalfMore(of: Cost(allocations: 1, bytes: 233, retains: 119)),
            "\(further)")
    }

    /// The data is copied into the event and into the line shared by all subscribers, in existing memory. The
    /// memory of client queues is passed from one to the next.
    @Test(
        "an event takes 2 allocations per subscriber, and copies its data for none of them"
    )
    func event() throws {
        let data = String(repeating: "x", count: 10_000)
        let event =
            #"{"id":1,"method":"events.publish","params":{"topic":"a.b","data":"\#(data)"}}"#
        let publisher = try fixture.connect()
        var subscribers: [TestClient] = []
        var costs: [Int: Cost] = [:]
        for count in [0, 1, 10, 100] {
            while subscribers.count < count {
                let client = try fixture.connect()
                _ = try client.result("events.subscribe", ["topics": ["a.*"]], id: 9)
                subscribers.append(client)
            }
            for _ in 0..<5 {
                let cost = fixture.loop.costOfHandlers { publisher.send(event) }
                // A turn may have the answer of a thread as well, which is no cost of the event.
                if cost.allocations <= costs[count]?.allocations ?? .max { costs[count] = cost }
                #expect(try publisher.exchange().count == 1)
                for client in subscribers { #expect(try client.exchange().count == 1) }
            }
        }
        let (none, one) = (try #require(costs[0]), try #require(costs[1]))
        let (ten, hundred) = (try #require(costs[10]), try #require(costs[100]))
        #expect(
            none.isWithinHalfMore(of: Cost(allocations: 19, bytes: 11_222, retains: 393)), "\(none)"
        )
        // Two queues share their memory, and the one that gets the shorter buffer extends it.
        #expect(
            one.isWithinHalfMore(of: Cost(allocations: 20, bytes: 31_270, retains: 515)), "\(one)")
        #expect(
            ten.isWithinHalfMore(of: Cost(allocations: 39, bytes: 11_686, retains: 1631)), "\(ten)")
        let further = (hundred - ten) / 90
        #expect(
            further.isWithinHalfMore(of: Cost(allocations: 2, bytes: 68, retains: 124)),
            "\(further)")
        #expect(further.moved < 15_000, "\(further)")
    }
}
