// The state folder of a daemon that runs is removed, renamed, replaced.

import Foundation
import Glibc
import JSONText
import TestSupport
import Testing
import WireProtocol

extension IntegrationTests {
    @Suite("Misplaced state")
    struct StatePlaceTests {
        /// What somebody does, and whether likes are asked for before it may have been seen. What each thread
        /// makes of each deed is for the tests of the stores; here it is one after another what comes of
        /// them with a loop, clients and kills.
        private static let deeds: [(deed: StateDeed, likesOn: Bool)] = [
            (.removed("state/feed"), true), (.removed("state/events"), false),
            (.removed("state"), false), (.renamed("state/feed"), false), (.renamed("state"), true),
            (.emptied("state"), false), (.replaced("state", by: "copy"), true),
            (.removed("state/feed/marks.sqlite"), true), (.removed("state/feed/lock"), false),
            (.removed("state/events/mark"), false), (.removed("state/feed"), false),
            (.replaced("state", by: "copy"), false),
        ]

        @Test("Any change of the state folder is reported, and acknowledged changes are kept")
        func misplaced() throws {
            let served = try ServedFeed()
            try served.like("a.md")
            for (deed, likesOn) in Self.deeds { try expectKept(served, deed, likesOn) }
            try served.restart(SIGTERM)
            #expect(try served.list() == ["♥a.md", "b.md", "c.md"])
        }

        @Test("A state folder that returns after a recreation has an old mark, which is not valid")
        func back() throws {
            let served = try ServedFeed()
            for _ in 0..<3 { _ = try publish(served) }
            let epoch = try events(served)["epoch"]
            try served.place.move("state", to: "away")
            #expect(
                waitUntil {
                    served.daemon.process.standardError.contains(
                        "events are kept across restarts again")
                })
            for _ in 0..<5 { _ = try publish(served) }
            let last = try publish(served)
            try served.restart(SIGKILL) {
                try served.place.remove("state")
                try served.place.move("away", to: "state")
            }
            let next = try publish(served)
            let isTwice = try events(served)["epoch"] == epoch && next <= last
            #expect(!isTwice, "\(next) was given before, up to \(last)")
        }

        private func events(_ served: ServedFeed) throws -> JSONValue {
            try served.client.call("daemon.info").value()["events"] ?? .null
        }

        private func publish(_ served: ServedFeed) throws -> Int64 {
            try served.client.call("events.publish", ["topic": "app.x"]).value()["seq"]?
                .integerValue ?? 0
        }

        private func expectKept(_ served: ServedFeed, _ deed: StateDeed, _ likesOn: Bool) throws {
            let comment: Comment = "\(deed), likes on: \(likesOn)"
            let listener = try served.daemon.connect()
            try listener.call("events.subscribe", ["topics": ["daemon.*"]], id: 1)
            let epoch = try events(served)["epoch"]
            _ = try publish(served)
            // As old as a backup is.
            try? served.place.remove("copy")
            try served.place.copy("state", to: "copy")
            try served.drop("b.md")
            for _ in 0..<9 { _ = try publish(served) }
            try deed.do(in: served.place)
            if likesOn {
                // Acknowledged at last, be it refused before.
                let isKept = try waitUntil {
                    do {
                        try served.like("c.md")
                        return true
                    } catch TestConnection.Failure.refused(let code, _) {
                        #expect(code == 1012, comment)
                        return false
                    }
                }
                #expect(isKept, comment)
            }
            _ = try publish(served)
            try listener.waitForNotification()
            let told = try #require(listener.takeNotifications().first, comment).params.value()
            #expect(told["topic"] == "daemon.degraded", "\(comment): \(told)")
            #expect(
                try waitUntil {
                    try served.info["degraded"] == nil && events(served)["degraded"] == nil
                        && served.daemon.process.standardError.contains("again, in")
                }, comment)
            let last = try publish(served)
            try served.restart(SIGKILL)
            #expect(try served.list() == ["♥a.md", likesOn ? "♥c.md" : "c.md"], comment)
            let next = try publish(served)
            if try events(served)["epoch"] == epoch {
                #expect(next > last, "no number is given twice: \(comment)")
            }
            if likesOn { try served.like("c.md", false) }
            try served.client.call("items.restore", ["all": true])
        }
    }
}
