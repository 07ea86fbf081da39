// Where the daemon has its media types from, and the thumbnails of others.

import JSONText
import TestSupport
import Testing
import WireProtocol

extension IntegrationTests {
    @Suite("Media types")
    struct TypeListTests {
        private let place: TemporaryFolder

        init() throws {
            place = try TemporaryFolder()
            for folder in ["root", "own/mime", "shared/mime", "none"] {
                try place.makeFolder(folder)
            }
            for name in ["a.own", "b.both", "c.shared", "d.md", "e"] {
                try place.write("root/" + name, "x")
            }
            try place.write("shared/mime/globs2", "50:text/x-shared:*.both\n50:text/x-c:*.shared\n")
        }

        private func start(_ environment: [String: String]) throws -> DaemonUnderTest {
            try DaemonUnderTest(
                [place.path("root"), "--log-level", "notice"], socket: place.path("sock"),
                environment: ["HOME": place.path("none")].merging(environment) { $1 })
        }

        private func types(_ client: TestConnection) throws -> [String] {
            try client.sync()
            return try client.allDocuments().sorted { $0.name.text < $1.name.text }.map(\.type)
        }

        @Test(
            "The user's list gives new types and comes before the system's; the built-in one is behind all"
        )
        func lists() throws {
            try place.write("own/mime/globs2", "50:text/x-own:*.own\n50:text/x-mine:*.both\n")
            try place.write("own/mime/icons", "text/x-own:own-icon\n")
            try place.write("shared/mime/generic-icons", "text/x-own:package-x-generic\n")
            let daemon = try start([
                "XDG_DATA_HOME": place.path("own"), "XDG_DATA_DIRS": place.path("shared"),
            ])
            let client = try daemon.connect()
            #expect(
                try types(client) == [
                    "text/x-own", "text/x-mine", "text/x-c", "text/markdown",
                    "application/octet-stream",
                ])
            let found = try client.call("documents.get", ["path": "a.own"]).value()
            #expect(found["icon"] == "own-icon" && found["genericIcon"] == "package-x-generic")
            #expect(!daemon.process.standardError.contains("media types"))
        }

        @Test("Unless it is said otherwise, the user's lists are in the home")
        func home() throws {
            try place.makeFolder("none/.local/share/mime")
            try place.write("none/.local/share/mime/globs2", "50:text/x-home:*.own\n")
            let daemon = try start(["XDG_DATA_DIRS": place.path("shared")])
            #expect(try types(daemon.connect()).first == "text/x-home")
            #expect(daemon.process.isRunning)
        }

        @Test("What is left out of a list is reported, and the rest counts")
        func faults() throws {
            try place.write("own/mime/globs2", "nonsense\n50:text/x-own:*.own\n")
            try place.makeFolder("own/mime/icons")
            let daemon = try start([
                "XDG_DATA_HOME": place.path("own"), "XDG_DATA_DIRS": place.path("shared"),
            ])
            let client = try daemon.connect()
            #expect(try types(client).first == "text/x-own")
            let isTold = waitUntil {
                let log = daemon.process.standardError
                return log.contains("lines left out of the lists of media types: 1")
                    && log.contains(place.path("own/mime/icons"))
            }
            #expect(isTold, "\(daemon.process.standardError)")
        }
    }
}
