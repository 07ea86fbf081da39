// Events from a place on, with the real daemon: the library in this process, pickerctl as a script
// runs it.

import EventLoops
import Foundation
import Glibc
import JSONText
import PickerClient
import SystemInterface
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("Positions among events")
    struct EventPlaceTests {
        /// A daemon without documents, whose life may be ended and begun again.
        private final class Station {
            let place: TemporaryFolder
            private(set) var daemon: DaemonUnderTest

            init(settings: String = "") throws {
                place = try TemporaryFolder()
                try place.makeFolder("root")
                try place.makeFolder("home")
                try place.write("config.toml", settings)
                daemon = try Self.start(in: place)
            }

            private static func start(in place: TemporaryFolder) throws -> DaemonUnderTest {
                try DaemonUnderTest(
                    ["--config", place.path("config.toml"), place.path("root")],
                    socket: place.path("pickerd.sock"), environment: ["HOME": place.path("home")])
            }

            func restart(with signal: Int32 = SIGTERM) throws {
                daemon.process.kill(signal)
                let end = daemon.process.waitForExit()
                #expect(end == (signal == SIGTERM ? .exited(code: 0) : .killed(signal: signal)))
                daemon = try Self.start(in: place)
            }

            func events(_ arguments: [String]) throws -> SpawnedProcess {
                try SpawnedProcess(
                    try SpawnedProcess.built("pickerctl"), ["events"] + arguments,
                    environment: ["PICKERD_SOCKET": daemon.socket, "PATH": "/usr/bin:/bin"])
            }
        }

        private static func numbers(in text: String) -> [Int] {
            text.split(separator: "\n").compactMap { line in
                guard let start = line.range(of: "\"data\":")?.upperBound else { return nil }
                return Int(line[start...].prefix { $0.isNumber })
            }
        }

        /// Lets the loop run until `condition` holds.
        private func reach(_ loop: PollLoop, _ condition: () -> Bool) -> Bool {
            let deadline = ContinuousClock.now + patience
            while !condition() {
                if ContinuousClock.now > deadline { return false }
                var isTime = false
                let timer = loop.schedule(after: .milliseconds(2)) { isTime = true }
                loop.run { isTime }
                timer.cancel()
            }
            return true
        }

        @Test("Over random cuts of its connection a feed gives each event once and in order")
        func cuts() throws {
            let station = try Station()
            let loop = PollLoop()
            let publisher = try PickerConnection(to: station.daemon.socket, on: loop)
            try withSeed { random in
                var published: [String] = []
                var got: [String] = []
                var losses = 0
                var connection = try PickerConnection(to: station.daemon.socket, on: loop)
                let feed = EventFeed(topics: ["app.*"], start: .kept) { message in
                    if case .event(let event) = message { got.append(event.data?.text ?? "-") }
                    if case .lost = message { losses += 1 }
                }
                feed.attach(to: connection)
                for step in 0..<200 {
                    switch Int.random(in: 0..<8, using: &random) {
                    case 0:
                        connection.close()
                        connection = try PickerConnection(to: station.daemon.socket, on: loop)
                        feed.attach(to: connection)
                    case 1: feed.pause()
                    case 2: feed.resume()
                    default:
                        let isOurs = random.chance(0.7)
                        if isOurs { published.append("\(step)") }
                        let topic = isOurs ? "app.x" : "other.x"
                        let data = try RawJSON("\(step)")
                        publisher.send(.publish(topic: topic, data: data))
                        if random.chance(0.5) { try publisher.send(.ping).wait(within: patience) }
                    }
                }
                feed.resume()
                #expect(reach(loop) { got.count >= published.count }, "seed \(random.seed)")
                #expect(got == published, "seed \(random.seed)")
                #expect(losses == 0, "seed \(random.seed)")
            }
        }

        @Test("A late feed is told which numbers are gone, and gets the rest")
        func losses() throws {
            let station = try Station(settings: "[plugins.events]\nreplay = 5000\n")
            let loop = PollLoop()
            let publisher = try PickerConnection(to: station.daemon.socket, on: loop)
            var place: EventPosition?
            var first: EventFeed? = EventFeed(topics: ["app.*"]) { _ in }
            first?.attach(to: publisher)
            #expect(reach(loop) { first?.position != nil })
            place = first?.position
            first = nil
            let seq = try #require(place).seq
            for number in 1...9000 {
                publisher.send(.publish(topic: "app.x", data: try RawJSON("\(number)")))
            }
            try publisher.send(.ping).wait(within: patience)
            var got: [Int] = []
            var numbers: [Int] = []
            var lost: EventLoss?
            // The daemon publishes events of its own at any time, which have numbers, too.
            let feed = EventFeed(topics: ["*"], start: .after(try #require(place))) { message in
                if case .event(let event) = message {
                    numbers.append(event.seq)
                    if event.topic == "app.x" { got.append(Int(event.data?.text ?? "") ?? 0) }
                }
                if case .lost(let loss) = message {
                    #expect(got.isEmpty)
                    lost = loss
                }
            }
            feed.attach(to: publisher)
            #expect(reach(loop) { got.last == 9000 })
            let loss = try #require(lost)
            #expect(loss.reason == .notKept)
            // What is lost and what has come is everything, with nothing twice.
            let gone = try #require(loss.numbers)
            #expect(gone.lowerBound == seq + 1 && gone.count == loss.count)
            #expect(numbers == Array(gone.upperBound + 1..<gone.upperBound + 1 + numbers.count))
            #expect(try got == Array(#require(got.first)...9000))
            #expect(loss.count > 0 && numbers.count >= 5000)
            withExtendedLifetime(feed) {}
        }

        @Test("The position of a quiet topic advances past the others")
        func quietTopic() throws {
            let station = try Station()
            let loop = PollLoop()
            let publisher = try PickerConnection(to: station.daemon.socket, on: loop)
            let feed = EventFeed(topics: ["app.quiet"]) { _ in }
            feed.attach(to: publisher)
            #expect(reach(loop) { feed.position != nil })
            var last = 0
            for _ in 1...100 {
                last = try publisher.send(.publish(topic: "app.loud")).wait(within: patience)
            }
            var isDone = false
            feed.advance { isDone = true }
            #expect(reach(loop) { isDone })
            #expect(feed.position?.seq == last)
        }

        @Test("Runs of pickerctl that are ended at random print each event once")
        func runs() throws {
            let station = try Station()
            let client = try station.daemon.connect()
            let arguments = ["--since", "last", "--state", station.place.path("state"), "--json"]
            try withSeed { random in
                var published = 0
                var printed: [Int] = []
                for _ in 0..<10 {
                    let process = try station.events(arguments + ["app.*"])
                    for _ in 0..<Int.random(in: 0..<40, using: &random) {
                        let isOurs = random.chance(0.7)
                        if isOurs { published += 1 }
                        try client.call(
                            "events.publish",
                            ["topic": isOurs ? "app.x" : "other.x", "data": JSONValue(published)])
                    }
                    let goal = Int.random(in: 0...published - printed.count, using: &random)
                    let isThere = waitUntil {
                        Self.numbers(in: process.standardOutput).count >= goal
                    }
                    #expect(isThere, "seed \(random.seed)")
                    process.kill(SIGTERM)
                    #expect(process.waitForExit() == .killed(signal: SIGTERM))
                    printed += Self.numbers(in: process.standardOutput)
                    try #require(printed == Array(1..<printed.count + 1), "seed \(random.seed)")
                }
                let rest = try station.events(arguments + ["app.*"])
                let isThere = waitUntil {
                    printed.count + Self.numbers(in: rest.standardOutput).count >= published
                }
                #expect(isThere, "seed \(random.seed)")
                rest.kill(SIGTERM)
                #expect(rest.waitForExit() == .killed(signal: SIGTERM))
                printed += Self.numbers(in: rest.standardOutput)
                #expect(printed == Array(1..<published + 1), "seed \(random.seed)")
            }
        }

        /// Publishes events whose data are these numbers.
        private func publish(_ numbers: ClosedRange<Int>, at station: Station) throws {
            let client = try station.daemon.connect()
            for number in numbers {
                try client.call("events.publish", ["topic": "app.x", "data": JSONValue(number)])
            }
        }

        @Test("Across a restart of the daemon a script gets each event once")
        func restart() throws {
            let station = try Station()
            let arguments = ["--since", "last", "--state", station.place.path("state"), "--json"]
            try publish(1...3, at: station)
            let first = try station.events(arguments + ["-n", "2", "app.*"])
            #expect(first.waitForExit() == .exited(code: 0))
            #expect(Self.numbers(in: first.standardOutput) == [1, 2])
            try station.restart()
            try publish(4...5, at: station)
            // One that was there before the restart goes on as one that was not.
            let second = try station.events(arguments + ["-n", "4", "app.*"])
            let isThere = waitUntil {
                Self.numbers(in: second.standardOutput) == [3, 4, 5]
            }
            #expect(isThere, "\(second.standardError)")
            try station.restart()
            try publish(6...6, at: station)
            #expect(second.waitForExit() == .exited(code: 0))
            #expect(Self.numbers(in: second.standardOutput) == [3, 4, 5, 6])
            #expect(!second.standardError.contains("lost ("))
        }

        @Test("Across kills of the daemon nothing comes twice, and losses are reported")
        func kills() throws {
            let station = try Station()
            let arguments = ["--since", "last", "--state", station.place.path("state"), "--json"]
            var printed: [Int] = []
            var losses = 0
            for round in 0..<4 {
                try publish(round * 10 + 1...round * 10 + 10, at: station)
                let run = try station.events(arguments + ["-n", "5", "app.*"])
                if run.waitForExit() == .exited(code: 4) { losses += 1 }
                printed += Self.numbers(in: run.standardOutput)
                try station.restart(with: SIGKILL)
            }
            // A daemon that dies has what was published a second before; no later numbers are had.
            try publish(100...100, at: station)
            for _ in 0..<8 where printed.last != 100 {
                let run = try station.events(arguments + ["app.*"])
                let isDone = waitUntil {
                    Self.numbers(in: run.standardOutput).last == 100 || !run.isRunning
                }
                #expect(isDone)
                run.kill(SIGTERM)
                if run.waitForExit() == .exited(code: 4) { losses += 1 }
                printed += Self.numbers(in: run.standardOutput)
            }
            #expect(printed.last == 100)
            #expect(printed == Array(Set(printed)).sorted())
            let isComplete = printed == Array(1...40) + [100]
            #expect(isComplete || losses > 0)
        }

        @Test("A future position is refused with advice")
        func future() throws {
            let station = try Station()
            let place = station.place.path("state")
            try publish(1...1, at: station)
            let first = try station.events(["--since", "last", "--state", place, "-n", "1"])
            #expect(first.waitForExit() == .exited(code: 0))
            let content = try station.place.contents(of: "state")
            try station.place.write("state", content.dropLast() + "999\n")
            let second = try station.events(["--since", "last", "--state", place])
            #expect(second.waitForExit() == .exited(code: 1))
            #expect(second.standardError.contains("cannot go on after"))
            #expect(second.standardError.contains("remove '\(place)'"))
        }
    }
}
