// The examples of PickerClient's article, word for word, and what they print, against a real daemon.

import Foundation
import Observables
import PickerClient
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("The client's article", .timeLimit(.minutes(20)))
    struct ClientArticleTests {
        private final class Log {
            var entries: [String] = []
        }

        private let served: ServedFolder
        private let path: String
        private let log = Log()

        init() throws {
            served = try ServedFolder()
            path = served.daemon.socket
            try sync()
        }

        /// A list that is opened before the first scan is done comes in two steps.
        private func sync() throws {
            let connection = try PickerConnection(to: path, on: PollLoop())
            _ = try connection.send(.sync(timeoutMs: patienceMilliseconds)).wait()
        }

        /// In the place of the standard library's.
        private func print(_ item: Any) { log.entries.append("\(item)") }

        struct Saved: PickerEvent, Codable {
            static let topics = ["app.saved"]
            let path: String
        }

        @Test("requests, errors, a list, a batch and events")
        func tasks() async throws {
            let client = try await DaemonClient.connect(to: path)
            let document = try await client.create(name: "notes.md", content: "text")
            print("\(document.path): \(document.size) bytes")  // Prints "notes.md: 4 bytes"

            do {
                try await client.create(name: "notes.md")
            } catch let error as ClientError {
                switch error.refusal?.kind {
                case .conflict: print("there is such a file")  // Prints "there is such a file"
                case .overloaded: print("again in \(error.refusal?.retryAfterMs ?? 0) ms")
                default: throw error
                }
            }

            for try await update in client.list(ListQuery(sort: ["name"], count: 20)) {
                let names = update.items.map { $0.name ?? "new" }
                print(names.joined(separator: ", "))  // Prints "new, notes.md"
                if update.isComplete { break }
            }

            let answer = try await client.batch(
                .document(path: "notes.md"), .items(ListQuery(count: 10)))
            let (found, items) = answer.results
            print("\(try found.get().name), one of \(try items.get().total)")
            // Prints "notes.md, one of 2"

            for try await message in client.events(of: Saved.self) {
                switch message.content {
                case .subscribed:
                    try await client.publish(topic: "app.saved", Saved(path: "notes.md"))
                case .event(let saved): print("saved \(saved.path)")  // Prints "saved notes.md"
                case .lost(let loss): print("\(loss.count) events are lost")
                case .unreadable(let error), .interrupted(let error): print("\(error)")
                }
                if message.event != nil { break }
            }
            #expect(
                log.entries == [
                    "notes.md: 4 bytes", "there is such a file", "new, notes.md",
                    "notes.md, one of 2", "saved notes.md",
                ])
        }

        @Test("a run loop")
        func loop() throws {
            served.folder.write("notes.md", 4)
            served.folder.write("other.md", 4)
            try sync()
            let loop = PollLoop()
            let session = try ReconnectingSession(to: path, on: loop)
            let list = session.openList(ListQuery(search: "note"))
            let names = list.observableItems.map { $0.name ?? "new" }
            let connection = names.connect { _ in print("\(names.value)") }
            loop.run { list.isComplete }  // Prints "["notes.md"]"
            withExtendedLifetime(connection) {}
            #expect(log.entries == ["[\"notes.md\"]"])
        }

        @Test("has all examples of the article, word for word")
        func examples() throws {
            let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            /// Without indentation and empty lines.
            func lines(of path: String) throws -> [Substring] {
                let file = tests.appendingPathComponent(path).standardizedFileURL
                return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
                    .map { $0.drop { $0 == " " } }.filter { !$0.isEmpty }
            }
            let source = try lines(of: "ClientArticleTests.swift")
            var examples: [[Substring]] = []
            var current: [Substring]?
            let article = "../../../Sources/Client/PickerClient/PickerClient.docc/PickerClient.md"
            for line in try lines(of: article) {
                if line == "```swift" {
                    current = []
                } else if line == "```" {
                    if let current { examples.append(current) }
                    current = nil
                } else {
                    current?.append(line)
                }
            }
            #expect(examples.count == 7)
            for example in examples {
                let isTested = source.indices.contains { source[$0...].starts(with: example) }
                #expect(isTested, "the tests lack:\n\(example.joined(separator: "\n"))")
            }
        }
    }
}
