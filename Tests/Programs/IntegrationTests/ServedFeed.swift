// A daemon that keeps likes, over restarts.

import EventLoops
import Foundation
import Glibc
import JSONText
import SystemInterface
import TestSupport
import Testing
import WireProtocol

extension IntegrationTests {
    /// A folder to serve, a state folder, and the daemons that run there, one after another.
    final class ServedFeed {
        let place: TemporaryFolder
        private(set) var daemon: DaemonUnderTest
        private(set) var client: TestConnection

        init(_ names: [String] = ["a.md", "b.md", "c.md"], under wrapper: [String] = []) throws {
            place = try TemporaryFolder()
            try place.makeFolder("root")
            for name in names { try place.write("root/" + name, "content of \(name)") }
            daemon = try Self.start(place, wrapper)
            client = try daemon.connect()
            try sync()
        }

        private static func start(
            _ place: TemporaryFolder, _ wrapper: [String] = []
        ) throws -> DaemonUnderTest {
            try DaemonUnderTest(
                [place.path("root"), "--state", place.path("state")],
                socket: place.path("sock"), under: wrapper)
        }

        /// Ends the daemon with `signal`, has `meanwhile` done, and starts another.
        func restart(_ signal: Int32, meanwhile: () throws -> Void = {}) throws {
            daemon.process.kill(signal)
            let expected: ChildExit =
                signal == SIGKILL ? .killed(signal: SIGKILL) : .exited(code: 0)
            #expect(daemon.process.waitForExit() == expected)
            try meanwhile()
            daemon = try Self.start(place)
            client = try daemon.connect()
            try sync()
        }

        func sync() throws {
            try client.call("sync", ["timeoutMs": JSONValue(patienceMilliseconds)])
        }

        func key(_ path: String) throws -> JSONValue {
            try client.call("documents.get", ["path": JSONValue(path)]).value()["key"] ?? .null
        }

        func like(_ path: String, _ liked: Bool = true) throws {
            try client.call("items.like", ["key": try key(path), "liked": JSONValue(liked)])
        }

        func drop(_ path: String) throws {
            try client.call("items.drop", ["key": try key(path)])
        }

        /// The paths of the list as it is on disk now, with what is liked marked.
        func list() throws -> [String] {
            try sync()
            let result = try client.call(
                "items.get", ["window": ["count": .null], "sort": "path"]
            ).value()
            return (result["items"]?.arrayValue ?? []).compactMap { item in
                item["path"]?.stringValue.map { item["liked"] == true ? "♥" + $0 : $0 }
            }
        }

        /// Writes a file beside and renames it over.
        func save(_ path: String, _ contents: String) throws {
            try place.write("root/.saving", contents)
            // Both are C strings for the length of the call.
            let result = unsafe rename(place.path("root/.saving"), place.path("root/" + path))
            #expect(result == 0)
        }

        var info: JSONValue {
            get throws { try client.call("daemon.info").value()["feed"] ?? .null }
        }
    }
}
