import EventLoops
import SystemInterface
import SystemdEventLoop
import TestSupport
import Testing

@Suite("The order of handlers, on both loops")
struct OrderTests {
    @Test("queued work runs later, once, in order", arguments: LoopKind.allCases)
    func queueIsInOrder(_ kind: LoopKind) throws {
        let test = try kind.make()
        var seen: [Int] = []
        for number in 0..<2000 { test.loop.enqueue { seen.append(number) } }
        #expect(seen.isEmpty)
        try test.settle()
        #expect(seen == Array(0..<2000))
    }

    @Test("a higher priority goes first", arguments: LoopKind.allCases)
    func priorities(_ kind: LoopKind) throws {
        let test = try kind.make()
        var seen: [LoopPriority] = []
        for priority in LoopPriority.allCases.reversed() {
            test.loop.enqueue(priority: priority) { seen.append(priority) }
        }
        try test.settle()
        #expect(seen == [.high, .normal, .low, .idle])
    }

    @Test("work that queues itself lets others of its priority run", arguments: LoopKind.allCases)
    func selfQueueingDoesNotStarve(_ kind: LoopKind) throws {
        let test = try kind.make()
        let ends = try UnixSocket.pair().boxed()
        _ = try ends.second.descriptor.send([1])
        var pieces = 0
        var reads = 0
        var isStopped = false
        func again() {
            if isStopped { return }
            pieces += 1
            test.loop.enqueue { again() }
        }
        again()
        let source = try test.loop.watch(ends.first.number, for: .readable) { _ in reads += 1 }
        try test.step(200)
        // The socket stays readable, so both could run for ever.
        #expect(reads >= 100)
        #expect(pieces >= 200 / (TurnLimits.handlersBeforeQueue + 2))
        source.cancel()
        isStopped = true
        try test.settle()
    }

    @Test("end-of-turn work comes after normal and before low work", arguments: LoopKind.allCases)
    func endOfTurnOrder(_ kind: LoopKind) throws {
        let test = try kind.make()
        var seen: [String] = []
        test.loop.enqueue(priority: .idle) { seen.append("idle") }
        test.loop.enqueue(priority: .low) { seen.append("low") }
        test.loop.atEndOfTurn { seen.append("end") }
        test.loop.enqueue { seen.append("normal") }
        test.loop.enqueue(priority: .high) { seen.append("high") }
        try test.settle()
        #expect(seen == ["high", "normal", "end", "low", "idle"])
    }

    @Test(
        "end-of-turn work added by low work runs before more low work",
        arguments: LoopKind.allCases)
    func endOfTurnBetweenSlices(_ kind: LoopKind) throws {
        let test = try kind.make()
        var seen: [String] = []
        for slice in 1...2 {
            test.loop.enqueue(priority: .low) {
                seen.append("slice \(slice)")
                test.loop.atEndOfTurn { seen.append("end \(slice)") }
            }
        }
        try test.settle()
        #expect(seen == ["slice 1", "end 1", "slice 2", "end 2"])
    }

    @Test(
        "end-of-turn work may add more, which runs in the same turn", arguments: LoopKind.allCases)
    func endOfTurnRounds(_ kind: LoopKind) throws {
        let test = try kind.make()
        var seen: [String] = []
        test.loop.atEndOfTurn {
            seen.append("first")
            test.loop.enqueue { seen.append("handler") }
            test.loop.atEndOfTurn { seen.append("second") }
        }
        try test.settle()
        #expect(seen == ["first", "second", "handler"])
    }

    @Test(
        "end-of-turn work that never stops adding is cut off, and others run",
        arguments: LoopKind.allCases)
    func endOfTurnIsBounded(_ kind: LoopKind) throws {
        let test = try kind.make()
        var rounds = 0
        var roundsAtHandler: Int?
        var isStopped = false
        func again() {
            if isStopped { return }
            rounds += 1
            if rounds == 1 { test.loop.enqueue { roundsAtHandler = rounds } }
            test.loop.atEndOfTurn { again() }
        }
        test.loop.atEndOfTurn { again() }
        try test.step(5)
        #expect(roundsAtHandler == TurnLimits.endRounds)
        #expect(rounds > TurnLimits.endRounds)
        isStopped = true
        try test.settle()
    }

    @Test("after a handler that took long, others that are ready come before the end-of-turn work")
    func endOfTurnAfterLongHandler() throws {
        let loop = try SystemdLoop(longestTurn: .seconds(1))
        let ends = try UnixSocket.pair().boxed()
        var seen: [String] = []
        let source = try loop.watch(ends.first.number, for: .readable) { _ in
            // It stays ready.
            seen.append("handler")
            loop.atEndOfTurn { seen.append("end") }
            if seen.count > 1 { return }
            let end = loop.now.advanced(by: .milliseconds(600))
            while loop.now < end {}
        }
        _ = try ends.second.descriptor.send([1])
        while !seen.contains("end"), try loop.runOne(waitingAtMost: .zero) {}
        #expect(seen == ["handler", "handler", "end", "end"])
        source.cancel()
    }

    @Test("a loop that is never idle still ends its turns", arguments: LoopKind.allCases)
    func endOfTurnIsNotStarved(_ kind: LoopKind) throws {
        let test = try kind.make()
        let ends = try UnixSocket.pair().boxed()
        _ = try ends.second.descriptor.send([1])
        var reads = 0
        var readsAtEnd: Int?
        let source = try test.loop.watch(ends.first.number, for: .readable) { _ in
            reads += 1
            if reads == 1 { test.loop.atEndOfTurn { readsAtEnd = reads } }
        }
        try test.step(200)
        #expect(readsAtEnd.map { $0 <= TurnLimits.handlersBeforeEnd + 2 } ?? false)
        #expect(reads > TurnLimits.handlersBeforeEnd)
        source.cancel()
    }

    @Test("work that queues itself for ever still lets turns end", arguments: LoopKind.allCases)
    func endOfTurnIsNotStarvedByQueue(_ kind: LoopKind) throws {
        let test = try kind.make()
        var pieces = 0
        var piecesAtEnd: Int?
        func again() {
            pieces += 1
            if pieces == 1 { test.loop.atEndOfTurn { piecesAtEnd = pieces } }
            if pieces < 500 { test.loop.enqueue { again() } }
        }
        test.loop.enqueue { again() }
        try test.settle()
        #expect(piecesAtEnd.map { $0 <= TurnLimits.handlersBeforeEnd + 2 } ?? false)
        #expect(pieces == 500)
    }

    @Test(
        "a handler may queue work, and it does not run inside the handler",
        arguments: LoopKind.allCases)
    func queueingInHandler(_ kind: LoopKind) throws {
        let test = try kind.make()
        var seen: [String] = []
        test.loop.enqueue {
            test.loop.enqueue { seen.append("inner") }
            seen.append("outer")
        }
        try test.settle()
        #expect(seen == ["outer", "inner"])
    }

    @Test("captures of work are released after it ran", arguments: LoopKind.allCases)
    func workIsReleased(_ kind: LoopKind) throws {
        let count = LifetimeCount()
        let test = try kind.make()
        for priority in LoopPriority.allCases {
            let token = count.token()
            test.loop.enqueue(priority: priority) { token.touch() }
        }
        do {
            let token = count.token()
            test.loop.atEndOfTurn { token.touch() }
        }
        #expect(count.alive == 5)
        try test.settle()
        #expect(count.alive == 0)
    }
}
