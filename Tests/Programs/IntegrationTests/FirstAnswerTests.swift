// The first answer after a start is right: a client that comes at once is told of all the files there are.

import JSONText
import SystemInterface
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("First answer")
    struct FirstAnswerTests {
        private static let files = 1500

        @Test("Requests right after a start get an answer about all documents")
        func startsAndAsks() throws {
            let place = try TemporaryFolder()
            for number in 0..<30 { try place.makeFolder("docs/\(number)") }
            for number in 0..<Self.files { try place.write("docs/\(number % 30)/n\(number)", "x") }
            // A root that is not there holds up nobody.
            let roots = ["--root", place.path("docs"), "--root", place.path("nowhere")]
            for start in 0..<30 {
                let daemon = try DaemonUnderTest(
                    roots + ["--state", place.path("state")],
                    socket: place.path("run\(start)/sock"),
                    waits: false)
                var client: TestConnection?
                #expect(
                    waitUntil {
                        client = try? daemon.connect()
                        return client != nil || !daemon.process.isRunning
                    })
                let asked = try #require(client)
                switch start % 5 {
                case 0:
                    #expect(
                        try asked.call("documents.stats").value()["count"] == JSONValue(Self.files))
                case 1:
                    #expect(
                        try asked.call("items.get").value()["total"] == JSONValue(Self.files + 1))
                case 2:
                    #expect(
                        try asked.call("items.page").value()["count"] == JSONValue(Self.files + 1))
                case 3:
                    let last = "\((Self.files - 1) % 30)/n\(Self.files - 1)"
                    let found = try asked.call("documents.get", ["path": JSONValue(last)]).value()
                    #expect(found["path"]?.stringValue == last)
                default:
                    let calls: JSONValue = [
                        ["method": "documents.stats"], ["method": "items.get"],
                    ]
                    let results = try asked.call("batch", ["calls": calls]).value()["results"]
                    #expect(results?[0]?["result"]?["count"] == JSONValue(Self.files))
                    #expect(results?[1]?["result"]?["total"] == JSONValue(Self.files + 1))
                }
            }
        }
    }
}
