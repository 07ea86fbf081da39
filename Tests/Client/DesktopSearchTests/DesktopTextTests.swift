import DesktopSearch
import PickerClient
import Testing
import WireProtocol

@Suite struct DesktopTextTests {
    @Test("words and conditions are what they are in a picker")
    func queries() throws {
        let plain = try #require(DesktopQuery.list(of: ["rep", "ort"]))
        #expect(plain.search == "rep ort")
        #expect(plain.match == .fuzzy)
        #expect(plain.sort == ["score"])
        #expect(plain.count == DesktopQuery.mostRows)
        #expect(plain.start == 0)
        let condition = try #require(DesktopQuery.list(of: ["type:pdf"]))
        #expect(condition.search == nil)
        #expect(condition.filter != nil)
        #expect(condition.sort == ["date"])
        // Without the row for a new document.
        #expect(condition.start == 1)
        let both = try #require(DesktopQuery.list(of: ["type:pdf report sort:-size limit:3"]))
        #expect(both.search == "report")
        #expect(both.sort == ["-size"])
        #expect(both.count == 3)
        let many = try #require(DesktopQuery.list(of: ["a limit:9999"]))
        #expect(many.count == DesktopQuery.mostRows)
    }

    @Test("an open list can be changed from each query to each other")
    func changes() throws {
        let texts = [
            "r", "re type:pdf", "type:pdf", "a sort:-size", "x limit:2", "'a !b ^c d$ | e",
        ]
        let queries = try texts.map { try #require(DesktopQuery.list(of: [$0])) }
        for old in queries {
            for new in queries { #expect(new.parameters(from: old) != nil) }
        }
    }

    @Test("what says nothing is no query, and what is too long is cut between characters")
    func limits() throws {
        for terms in [[], [""], [" ", "  "], ["type:"]] {
            #expect(DesktopQuery.list(of: terms) == nil, "\(terms)")
        }
        let long = try #require(DesktopQuery.list(of: [String(repeating: "é", count: 100_000)]))
        #expect(long.search?.utf8.count == DesktopQuery.mostBytes)
        #expect(long.search?.contains("\u{FFFD}") == false)
    }

    @Test("texts are without what is not shown, and without what a bus does not take")
    func texts() {
        #expect(DesktopText.shown("a\nb\u{1B}[31m\u{202E}") == "a\\nb\\x1b[31m\\u{202e}")
        #expect(DesktopText.shown("a\\b é 写") != "")
        for value: UInt32 in [0, 0xFDD0, 0xFDEF, 0xFFFE, 0xFFFF, 0x1FFFF, 0x10FFFE] {
            let scalar = Unicode.Scalar(value).map { String($0) } ?? ""
            #expect(DesktopText.valid("a\(scalar)b") == "a\u{FFFD}b", "\(value)")
        }
        #expect(DesktopText.valid("写\u{FFFD}") == "写\u{FFFD}")
    }

    private func item(
        _ name: String, path: String? = nil, root: String = "/home/me/Documents",
        matches: [Int]? = nil, folder: [Int]? = nil, type: String = "text/plain"
    ) -> ListItem {
        var record = ItemRecord(
            DocumentRecord(
                key: "k-" + name, name: WireName(name), path: WireName(path ?? name), root: root,
                size: 1, modified: 1, type: type))
        record.matches = matches
        record.folderMatches = folder
        return ListItem(record)
    }

    @Test("a card has the name, the folder from the user's own on, and an icon for the type")
    func cards() {
        let card = DocumentCard(item("a b.txt", path: "x/y/a b.txt"), home: "/home/me")
        #expect(card.name == "a b.txt")
        #expect(card.folder == "~/Documents/x/y")
        #expect(card.uri == "file:///home/me/Documents/x/y/a%20b.txt")
        #expect(card.icon == .themed(["text-plain", "text-x-generic"]))
        #expect(card.iconName == "text-plain")
        let top = DocumentCard(item("a.txt", root: "/home/me"), home: "/home/me")
        #expect(top.folder == "~")
        let elsewhere = DocumentCard(item("a.txt", root: "/home/me2"), home: "/home/me")
        #expect(elsewhere.folder == "/home/me2")
        let root = DocumentCard(item("a.txt", path: "etc/a.txt", root: "/"), home: "/")
        #expect(root.folder == "/etc")
    }

    @Test("the relevance follows the order, and says how good a match is")
    func relevance() {
        let items = [
            item("report.md", matches: [0, 6]), item("reporting.md", matches: [0, 6]),
            item("my report.md", matches: [3, 9]), item("r e p.md", matches: [0, 1, 2, 3, 4, 5]),
            item("report.md", matches: [0, 6]), item("x.md", matches: [], folder: [0, 3]),
        ]
        let values = MatchRelevance.values(of: items)
        #expect(values == values.sorted(by: >))
        #expect(Set(values).count == values.count)
        #expect(values.allSatisfy { $0 > 0 && $0 <= 1 })
        #expect(values[0] > 0.99)
        #expect(abs(values[1] - 0.9) < 0.01)
        #expect(abs(values[2] - 0.8) < 0.01)
        #expect(values[3] < 0.7)
        // No better than what comes before it.
        #expect(values[4] < values[3])
        #expect(MatchRelevance.isExact(items[0]))
        #expect(!MatchRelevance.isExact(items[1]))
        #expect(MatchRelevance.isExact(item("report", matches: [0, 6])))
        #expect(!MatchRelevance.isExact(item("report", matches: nil)))
    }

    @Test("rows of the last answers are remembered, and of no more")
    func recent() {
        var recent = RecentItems()
        for number in 0..<10_000 {
            recent.add([item("\(number)")])
            #expect(recent["k-\(number)"] != nil)
        }
        #expect(recent["k-9900"] != nil)
        #expect(recent["k-1"] == nil)
        recent.add((0..<100_000).map { item("\($0)") })
        let kept = (0..<100_000).count { recent["k-\($0)"] != nil }
        #expect(kept <= RecentItems.most)
    }
}
