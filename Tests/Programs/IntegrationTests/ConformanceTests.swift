// The exchanges of contrib/clients/conformance, between the Swift client and the real daemon.

import Foundation
import PickerClient
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("Conformance of the Swift client")
    struct ConformanceTests {
        static var folder: URL {
            URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
                .appending(path: "contrib/clients/conformance")
        }

        static var files: [String] {
            let all = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
            return (all ?? []).filter { $0.hasSuffix(".txt") }.sorted()
        }

        private func run(_ text: String) throws {
            let served = try ServedFolder()
            let connection = try PickerConnection(to: served.daemon.socket, on: PollLoop())
            let script = ConformanceScript(over: connection, root: served.place.path("root"))
            try script.run(text)
            withExtendedLifetime(served) {}
        }

        @Test("there are exchanges for each part of the protocol")
        func presence() {
            #expect(Self.files.count >= 4)
        }

        @Test("the client and the daemon follow the exchanges", arguments: files)
        func exchange(file: String) throws {
            let path = Self.folder.appending(path: file)
            try run(try String(contentsOf: path, encoding: .utf8))
        }

        @Test(
            "a script with another expectation fails",
            arguments: [
                "> a daemon.ping {}\n< a {\"x\":1}", "> a daemon.ping {}\n! a {}",
                "> a daemon.ping {}", "> a daemon.nothing {}\n< a {}",
                "> a daemon.nothing {}\n! a {\"code\":1}",
                "> a sync {}\n< a {\"rev\":\"@string\"}", "> a daemon.ping {\"x\":\"@b\"}\n< a {}",
                "> a items.open {}\n< a {}\n* event {}",
                "> a items.open {}\n< a {\"sub\":\"@a\"}",
                "> a items.get {}\n< a {\"items\":[]}", "nonsense",
            ])
        func wrongScript(text: String) {
            #expect(throws: (any Error).self) { try run(text) }
        }
    }
}
