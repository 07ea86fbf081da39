import EventLoops
import Foundation
import SystemInterface
import TestSupport
import Testing

@Suite("Messages from other threads, on both loops")
struct MailboxDeliveryTests {
    @Test(
        "messages of several threads all arrive, each thread's in order",
        arguments: LoopKind.allCases)
    func threads(_ kind: LoopKind) throws {
        let test = try kind.make()
        let mailbox = try Mailbox<[Int]>(limit: 100)
        var seen: [[Int]] = [[], [], []]
        let delivery = try mailbox.deliver(on: test.loop) { seen[$0[0]].append($0[1]) }
        for thread in 0..<3 {
            Thread.detachNewThread {
                for number in 0..<5000 {
                    while !mailbox.post([thread, number]) { sched_yield() }
                }
            }
        }
        #expect(try test.run { seen.allSatisfy { $0.count == 5000 } })
        #expect(seen.allSatisfy { $0 == Array(0..<5000) })
        delivery.cancel()
    }

    @Test(
        "a full mailbox refuses, and has room again once it is emptied",
        arguments: LoopKind.allCases)
    func limit(_ kind: LoopKind) throws {
        let test = try kind.make()
        let mailbox = try Mailbox<Int>(limit: 2)
        #expect([1, 2, 3].map { mailbox.post($0) } == [true, true, false])
        var seen: [Int] = []
        let delivery = try mailbox.deliver(on: test.loop) { seen.append($0) }
        try test.settle()
        #expect(mailbox.post(4))
        try test.settle()
        #expect(seen == [1, 2, 4])
        delivery.cancel()
    }

    @Test("a handler that cancels the delivery gets no more", arguments: LoopKind.allCases)
    func cancelWhileDelivering(_ kind: LoopKind) throws {
        let test = try kind.make()
        let mailbox = try Mailbox<Int>(limit: 10)
        for number in 1...5 { mailbox.post(number) }
        var seen: [Int] = []
        var delivery: (any LoopSource)?
        delivery = try mailbox.deliver(on: test.loop) {
            seen.append($0)
            if $0 == 2 { delivery = nil }
        }
        try test.settle()
        #expect(seen == [1, 2])
        #expect(delivery == nil)
    }
}
