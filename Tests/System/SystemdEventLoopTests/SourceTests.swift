import EventLoops
import Glibc
import SystemInterface
import TestSupport
import Testing

@Suite("Sources, on both loops")
struct SourceTests {
    @Test("a handler is called as long as its descriptor is ready", arguments: LoopKind.allCases)
    func levelTriggered(_ kind: LoopKind) throws {
        let test = try kind.make()
        let ends = try UnixSocket.pair().boxed()
        var seen: [IOEvents] = []
        var buffer = [UInt8](repeating: 0, count: 2)
        let source = try test.loop.watch(ends.first.number, for: .readable) { events in
            seen.append(events)
            _ = try? ends.first.descriptor.read(into: &buffer)
        }
        try test.settle()
        #expect(seen.isEmpty)
        _ = try ends.second.descriptor.send([1, 2, 3])
        try test.settle()
        #expect(seen == [.readable, .readable])
        source.cancel()
    }

    @Test("watched events can change, and be none", arguments: LoopKind.allCases)
    func changingInterest(_ kind: LoopKind) throws {
        let test = try kind.make()
        let ends = try UnixSocket.pair().boxed()
        var seen: [IOEvents] = []
        var source: (any IOSource)?
        source = try test.loop.watch(ends.first.number, for: .writable) { events in
            seen.append(events)
            source?.events = .readable
        }
        try test.settle()
        #expect(seen == [.writable])
        source?.events = []
        _ = try ends.second.descriptor.send([1])
        try test.settle()
        #expect(seen == [.writable])
        source?.events = [.readable, .writable]
        try test.step()
        #expect(seen == [.writable, [.readable, .writable]])
        source?.cancel()
    }

    @Test("a source without events is not notified of a hangup", arguments: LoopKind.allCases)
    func restingSourceIsQuiet(_ kind: LoopKind) throws {
        let test = try kind.make()
        var calls = 0
        var pair: (first: DescriptorBox, second: DescriptorBox)? = try UnixSocket.pair().boxed()
        let ours = try #require(pair?.first)
        let source = try test.loop.watch(ours.number, for: []) { _ in calls += 1 }
        pair = nil
        try test.settle(limit: 50)
        #expect(calls == 0)
        source.events = .readable
        // Another test that starts a process may hold a copy of the other end for a moment.
        #expect(try test.run { calls == 1 })
        source.cancel()
    }

    @Test("a closed peer is reported", arguments: LoopKind.allCases)
    func hangUp(_ kind: LoopKind) throws {
        let test = try kind.make()
        var pair: (first: DescriptorBox, second: DescriptorBox)? = try UnixSocket.pair().boxed()
        let ours = try #require(pair?.first)
        // `EPOLLRDHUP` and `EPOLLHUP`.
        let (peerClosed, hangUp) = (IOEvents(rawValue: 0x2000), IOEvents(rawValue: 0x10))
        var seen: IOEvents = []
        let source = try test.loop.watch(ours.number, for: [.readable, peerClosed]) {
            seen.formUnion($0)
        }
        pair = nil
        #expect(try test.run { seen == [.readable, peerClosed, hangUp] })
        source.cancel()
    }

    @Test("a descriptor is watched once, and a plain file never", arguments: LoopKind.allCases)
    func refusedDescriptors(_ kind: LoopKind) throws {
        let test = try kind.make()
        let ends = try UnixSocket.pair().boxed()
        let first = try test.loop.watch(ends.first.number, for: .readable) { _ in }
        var code: ErrorNumber?
        do {
            _ = try test.loop.watch(ends.first.number, for: .readable) { _ in }
        } catch { code = error.code }
        #expect(code == .alreadyExists)
        first.cancel()
        let second = try test.loop.watch(ends.first.number, for: .readable) { _ in }
        second.cancel()

        let folder = try TemporaryFolder()
        try folder.write("file")
        let file = try OwnedDescriptor.open(folder.rawPath("file"), flags: O_RDONLY)
        do {
            _ = try test.loop.watch(file.number, for: .readable) { _ in }
        } catch { code = error.code }
        #expect(code == .notPermitted)
    }

    @Test("a handler may cancel its own source", arguments: LoopKind.allCases)
    func cancelSelf(_ kind: LoopKind) throws {
        let test = try kind.make()
        let ends = try UnixSocket.pair().boxed()
        var calls = 0
        var source: (any IOSource)?
        source = try test.loop.watch(ends.first.number, for: .writable) { _ in
            calls += 1
            source?.cancel()
        }
        try test.settle(limit: 50)
        #expect(calls == 1)
        #expect(source?.isCancelled == true)
        source?.events = .readable
        source?.cancel()
    }

    @Test("a handler may release its own source", arguments: LoopKind.allCases)
    func releaseSelf(_ kind: LoopKind) throws {
        let test = try kind.make()
        let ends = try UnixSocket.pair().boxed()
        var calls = 0
        var source: (any IOSource)?
        source = try test.loop.watch(ends.first.number, for: .writable) { _ in
            calls += 1
            source = nil
        }
        try test.settle(limit: 50)
        #expect(calls == 1)
        #expect(source == nil)
    }

    @Test("a ready source that another handler cancels is not called", arguments: LoopKind.allCases)
    func cancelOther(_ kind: LoopKind) throws {
        let test = try kind.make()
        let pairs = try (0..<8).map { _ in try UnixSocket.pair().boxed() }
        var calls = 0
        var sources: [any IOSource] = []
        for pair in pairs {
            sources.append(
                try test.loop.watch(pair.first.number, for: .writable) { _ in
                    calls += 1
                    for source in sources { source.cancel() }
                })
        }
        try test.settle(limit: 50)
        #expect(calls == 1)
    }

    @Test("a handler may add sources", arguments: LoopKind.allCases)
    func addInHandler(_ kind: LoopKind) throws {
        let test = try kind.make()
        let pairs = try (0..<4).map { _ in try UnixSocket.pair().boxed() }
        var sources: [any IOSource] = []
        var calls = 0
        func next() throws {
            if sources.count == pairs.count { return }
            let number = pairs[sources.count].first.number
            sources.append(
                try test.loop.watch(number, for: .writable) { _ in
                    calls += 1
                    sources.last?.events = []
                    do { try next() } catch { Issue.record(error) }
                })
        }
        try next()
        try test.settle(limit: 50)
        #expect(calls == 4)
        sources.removeAll()
    }

    @Test("releasing or cancelling a source releases its handler", arguments: LoopKind.allCases)
    func lifetimes(_ kind: LoopKind) throws {
        let count = LifetimeCount()
        let ends = try UnixSocket.pair().boxed()
        weak var loop: (any EventLoop)?
        do {
            let test = try kind.make()
            loop = test.loop
            var kept: [any LoopSource] = []
            for isKept in [true, false] {
                let token = count.token()
                let sources: [any LoopSource] = [
                    try test.loop.watch(ends.first.number, for: .readable) { _ in token.touch() },
                    try test.loop.schedule(after: .seconds(9)) { token.touch() },
                    try test.loop.onSignal(SIGUSR2) { token.touch() },
                ]
                #expect(count.alive == 1)
                if isKept {
                    kept = sources
                    for source in sources { source.cancel() }
                }
            }
            #expect(kept.count == 3)
            #expect(count.alive == 0)
        }
        #expect(loop == nil)
    }
}
