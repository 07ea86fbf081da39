// `since`: all after a number, live from there, and a count of what is not to be had.

import DataBus
import JSONText
import TestSupport
import Testing
import WireProtocol

@Suite struct EventsSinceTests {
    @Test("since sends all later matches, marked, then continues without gap or repetition")
    func after() throws {
        let run = try EventRun()
        for topic in ["a.1", "b.1", "a.2", "b.2", "a.3"] { try run.publish(topic) }
        let reply = try run.subscribe(["topics": ["a.*"], "since": "e:1"])
        #expect(reply == ["sub": 9, "epoch": "e", "from": 2, "lost": 0, "oldest": 1])
        try run.publish("a.4")
        let lines = run.session.read()
        #expect(lines.map { $0["params"]?["seq"] } == [3, 5, 6])
        #expect(lines.map { $0["params"]?["replayed"] } == [true, true, nil])
        #expect(try run.subscribe(["topics": ["*"], "since": "e:0"], id: 10)["from"] == 1)
        #expect(run.numbers() == [1, 2, 3, 4, 5, 6])
        // The newest is nothing to wait for, and none is lost.
        #expect(
            try run.subscribe(["topics": ["*"], "since": "e:6"], id: 11)
                == ["sub": 11, "epoch": "e", "from": 7, "lost": 0, "oldest": 1])
        #expect(!run.session.hasWork)
    }

    @Test("what is no longer kept is counted over all topics")
    func dropped() throws {
        let run = try EventRun()
        try run.publish("a", 10)
        run.bus.limits.count = 4
        let reply = try run.subscribe(["topics": ["b"], "since": "e:2"])
        #expect(reply == ["sub": 9, "epoch": "e", "from": 7, "lost": 4, "oldest": 7])
        #expect(try run.subscribe(["topics": ["b"], "since": "e:8"], id: 10)["lost"] == 0)
    }

    @Test("at most the events for replay are sent; the rest counts as lost")
    func bounded() throws {
        let run = try EventRun(keeping: 3)
        try run.publish("a", 10)
        let reply = try run.subscribe(["topics": ["*"], "since": "e:2"])
        #expect(reply == ["sub": 9, "epoch": "e", "from": 8, "lost": 5, "oldest": 1])
        #expect(run.numbers() == [8, 9, 10])
        #expect(try run.subscribe(["topics": ["*"], "since": "e:8"], id: 10)["lost"] == 0)
        #expect(run.numbers() == [9, 10])
        let none = try EventRun(keeping: 0)
        try none.publish("a", 10)
        #expect(try none.subscribe(["topics": ["*"], "since": "e:2"])["lost"] == 8)
        #expect(!none.session.hasWork)
    }

    @Test("for another epoch everything kept is sent, and the answer names the current one")
    func otherEpoch() throws {
        let run = try EventRun()
        try run.publish("a", 10)
        run.bus.limits.count = 4
        let reply = try run.subscribe(["topics": ["*"], "since": "f:9999"])
        #expect(reply == ["sub": 9, "epoch": "e", "from": 7, "lost": 6, "oldest": 7])
        #expect(run.numbers() == [7, 8, 9, 10])
    }

    @Test("a future number is refused, with the newest one")
    func future() throws {
        let run = try EventRun()
        try run.publish("a", 3)
        let error = try #require(run.refusal(["topics": ["*"], "since": "e:4"]))
        #expect(error.kind == .invalidParams && error.at == "since")
        #expect(error.message.contains("e:4") && error.message.contains("e:3"))
        #expect(run.refusal(["topics": ["*"], "since": "e:3"]) == nil)
    }

    @Test(
        "an invalid position is refused with a valid form",
        arguments: [
            "", ":", "e", "e:", ":3", "e:-1", "e:+1", "e:1.0", "e: 1", "e:1 ", "e:0x1", "e:one",
            "e:99999999999999999999", "e:٣",
        ] as [JSONValue] + [7, true, ["e", 1], ["epoch": "e"]])
    func malformed(since: JSONValue) throws {
        let run = try EventRun()
        let error = try #require(run.refusal(["topics": ["*"], "since": since]))
        #expect(error.kind == .invalidParams && error.at == "since")
        #expect(error.message.contains("epoch:seq"))
        #expect(!run.session.hasWork)
    }

    @Test("since and replay exclude each other; null counts as absent")
    func both() throws {
        let run = try EventRun()
        let error = try #require(run.refusal(["topics": ["*"], "since": "e:0", "replay": 0]))
        #expect(error.kind == .invalidParams && error.at == "since")
        #expect(run.refusal(["topics": ["*"], "since": "e:0", "replay": .null]) == nil)
        #expect(try run.subscribe(["topics": ["*"], "since": .null, "replay": 1])["lost"] == 0)
    }

    @Test("numbers lost in a kill are counted once, and not reported again")
    func gap() throws {
        let first = try EventRun()
        try first.publish("a", 4)
        #expect(first.store())
        // Seen by clients, and not stored in time.
        try first.publish("a", 3)
        let run = try EventRun(first.killed(), epoch: "f")
        #expect(run.epoch == "e")
        #expect(try run.publish("a", 3) == 10)
        let reply = try run.subscribe(["topics": ["*"], "since": "e:2"])
        #expect(reply == ["sub": 9, "epoch": "e", "from": 3, "lost": 3, "oldest": 1])
        #expect(try run.subscribe(["topics": ["*"], "since": "e:5"], id: 10)["lost"] == 2)
        #expect(try run.subscribe(["topics": ["*"], "since": "e:7"], id: 11)["lost"] == 0)
        run.session.close(10)
        run.session.close(11)
        // Before it reads, the bus lets go of all but 9 and 10: the gap from 5 to 7 was told.
        run.bus.limits.count = 2
        let lines = run.session.read()
        let lost = lines.filter { $0["method"] == "$/lost" }.map { $0["params"] ?? .null }
        #expect(
            lost == [
                ["sub": 9, "from": 3, "to": 4, "reason": "slow"],
                ["sub": 9, "from": 8, "to": 8, "reason": "slow"],
            ])
        #expect(lines.compactMap { $0["params"]?["seq"] } == [9, 10])
    }

    @Test(
        "unwanted events after a gap are passed over, though the notice before it took the last room"
    )
    func gapWithoutRoom() throws {
        let first = try EventRun()
        try first.publish("a", 4)
        #expect(first.store())
        try first.publish("a", 3)
        let run = try EventRun(first.killed())
        try run.publish("b", 2)
        #expect(try run.publish("a") == 10)
        _ = try run.subscribe(["topics": ["a"], "since": "e:0"])
        run.bus.limits.count = 3
        let lost = run.session.read(lines: 1)
        #expect(lost.map { $0["params"] } == [["sub": 9, "from": 1, "to": 4, "reason": "slow"]])
        // The events 8 and 9 go now, and 10, which alone was wanted.
        try run.publish("a")
        run.bus.limits.count = 1
        let lines = run.session.read()
        #expect(lines.first?["params"] == ["sub": 9, "from": 10, "to": 10, "reason": "slow"])
        #expect(lines.dropFirst().map { $0["params"]?["seq"] } == [11])
    }

    @Test("replay looks across a gap")
    func replayAcross() throws {
        let first = try EventRun()
        try first.publish("a", 4)
        #expect(first.store())
        try first.publish("a", 3)
        let run = try EventRun(first.killed())
        try run.publish("a", 1)
        #expect(try run.subscribe(["topics": ["*"], "replay": 3])["from"] == 3)
        #expect(run.numbers() == [3, 4, 8])
        let reply = try run.session.call("events.replay", ["topics": ["*"]]).get()
        #expect(reply["events"]?.arrayValue?.compactMap { $0["seq"] } == [1, 2, 3, 4, 8])
    }

    @Test("after random drops and gaps received and lost events add up to all")
    func random() throws {
        try withSeed { random in
            for round in 0..<20 {
                let first = try EventRun()
                try first.publish("a", Int.random(in: 1...20, using: &random))
                #expect(first.store())
                try first.publish("b", Int.random(in: 1...10, using: &random))
                let run = try EventRun(
                    first.killed(), keeping: Int.random(in: 0...30, using: &random))
                try run.publish("a", Int.random(in: 1...20, using: &random))
                run.bus.limits.count = Int.random(in: 1...40, using: &random)
                let last = run.bus.lastSequence
                for since in 0...last {
                    let id = RequestID.integer(Int64(since + 100))
                    let reply = try run.subscribe(
                        ["topics": ["*"], "since": JSONValue("e:\(since)")], id: id)
                    let came = run.numbers()
                    let lost = Int(try #require(reply["lost"]?.integerValue))
                    let place: Comment = "seed \(random.seed), round \(round), since \(since)"
                    #expect(came.count + lost == last - since, place)
                    #expect(
                        came.allSatisfy { $0 > since && run.bus.kept(sequence: $0) != nil }, place)
                    #expect(came == came.sorted(), place)
                    run.session.close(id)
                }
            }
        }
    }
}
