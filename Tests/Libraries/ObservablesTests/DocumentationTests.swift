import Foundation
import Testing

/// An article of the documentation, and its examples.
private struct Article {
    let name: String
    let text: String

    /// The blocks of Swift, without indentation and empty lines.
    var examples: [[Substring]] {
        var examples: [[Substring]] = []
        var current: [Substring]?
        for line in lines(of: text) {
            if line == "```swift" {
                current = []
            } else if line == "```" {
                if let current { examples.append(current) }
                current = nil
            } else {
                current?.append(line)
            }
        }
        return examples
    }
}

private func lines(of text: String) -> [Substring] {
    text.split(separator: "\n").compactMap { line in
        let start = line.firstIndex { $0 != " " }
        return start.map { line[$0...] }
    }
}

private func texts(in folder: URL, ending: String) throws -> [Article] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        .filter { $0.hasSuffix(ending) }
        .map {
            Article(
                name: $0,
                text: try String(
                    contentsOf: folder.appendingPathComponent($0), encoding: .utf8))
        }
}

@Suite struct DocumentationTests {
    private let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

    private var catalog: URL {
        tests.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Sources/Libraries/Observables/Observables.docc")
    }

    @Test("Each example of an article is part of a test, word for word")
    func examples() throws {
        let sources = try texts(in: tests, ending: "Tests.swift")
            .map { lines(of: $0.text) }
        func isTested(_ example: [Substring]) -> Bool {
            sources.contains { source in
                source.indices.contains { start in
                    source[start...].starts(with: example)
                }
            }
        }
        let articles = try texts(in: catalog, ending: ".md")
        #expect(articles.count > 5)
        for article in articles {
            for example in article.examples {
                let isTested = isTested(example)
                #expect(
                    isTested,
                    "No test has this example of \(article.name):\n\(example.joined(separator: "\n"))"
                )
            }
        }
        #expect(articles.flatMap(\.examples).count > 15)
    }

    @Test("The landing page leads to each article")
    func landingPage() throws {
        let articles = try texts(in: catalog, ending: ".md")
        let landing = try #require(articles.first { $0.name == "Observables.md" })
        for article in articles where article.name != landing.name {
            let isLinked = landing.text.contains("<doc:\(article.name.dropLast(3))>")
            #expect(isLinked, "\(article.name)")
        }
    }
}
