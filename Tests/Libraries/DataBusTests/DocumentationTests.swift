import Foundation
import Testing

@Suite("Documentation")
struct DocumentationTests {
    private let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

    @Test("Each example of the article is part of its test, word for word")
    func examples() throws {
        let article = try lines(
            of: "../../../Sources/Libraries/DataBus/DataBus.docc/DataBus.md")
        let source = try lines(of: "ArticleTests.swift")
        var examples: [[Substring]] = []
        var current: [Substring]?
        for line in article {
            if line == "```swift" {
                current = []
            } else if line == "```" {
                if let current { examples.append(current) }
                current = nil
            } else {
                current?.append(line)
            }
        }
        #expect(examples.count == 6)
        for example in examples {
            let isTested = source.indices.contains { source[$0...].starts(with: example) }
            #expect(isTested, "ArticleTests lacks:\n\(example.joined(separator: "\n"))")
        }
    }

    /// The lines without indentation and empty lines.
    private func lines(of path: String) throws -> [Substring] {
        let file = tests.appendingPathComponent(path).standardizedFileURL
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .map { $0.drop { $0 == " " } }.filter { !$0.isEmpty }
    }
}
