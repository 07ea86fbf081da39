// The README's example in Swift, word for word (contrib/tests/examples.py compares them), against a real daemon.

import PickerClient
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("The README's Swift", .timeLimit(.minutes(20)))
    struct ReadmeTests {
        @TaskLocal private static var socket = ""

        /// In the place of PickerClient's own: the README's reader has one daemon, where it always is.
        private enum DaemonClient {
            static func connect() async throws -> PickerClient.DaemonClient {
                try await PickerClient.DaemonClient.connect(to: socket)
            }
        }

        private func example(onlyLiked: Bool, show: ([ListItem]) -> Void) async throws {
            let recent = PickerQuery {
                Search("report")
                Where { $0.size > 1_000_000 && $0.type == .pdf && !$0.path.matches("drafts/**") }
                if onlyLiked { Where { $0.liked } }
                Sort(.modified, .descending)
                Window(0..<50)
            }
            let client = try await DaemonClient.connect()
            for try await update in client.list(recent) { show(update.items) }
        }

        @Test("a list that is searched, filtered, sorted and followed")
        func recent() async throws {
            let served = try ServedFolder { folder, _ in
                folder.write("report.pdf", 1_000_001)
                folder.write("small report.pdf", 1)
                folder.write("report.txt", 1_000_001)
                folder.write("paper.pdf", 1_000_001)
            }
            let (shown, rows) = AsyncStream.makeStream(of: [String].self)
            let running = Self.$socket.withValue(served.daemon.socket) {
                Task {
                    try await example(onlyLiked: false) { rows.yield($0.compactMap(\.name)) }
                }
            }
            var seen: [String] = []
            for await names in shown where !names.isEmpty {
                seen += names
                if seen == ["report.pdf"] { served.folder.write("new report.pdf", 1_000_001) }
                if names.count == 2 { break }
            }
            running.cancel()
            #expect(seen == ["report.pdf", "new report.pdf", "report.pdf"])
        }
    }
}
