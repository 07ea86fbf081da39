import DesktopSearch
import Testing

@Suite struct FilterConditionsTests {
    private let conditions = FilterConditions(
        MediaGlobs(
            globs: [
                Array(
                    """
                    # a comment
                    50:image/png:*.png
                    50:image/x-own:*.Own
                    80:application/pdf:*.pdf
                    60:application/x-special:*.special:cs
                    50:application/x-whole:makefile
                    50:text/x-c:*.c
                    50:application/x-none:__NOGLOBS__
                    broken
                    """.utf8)
            ],
            aliases: [Array("application/x-pdf application/pdf\n".utf8)],
            subclasses: [Array("application/x-special application/pdf\na b c\nx x\n".utf8)]))

    private static func filter(_ rules: (UInt32, String)...) -> PortalFilter {
        PortalFilter(
            name: "f", rules: rules.map { PortalFilter.Rule(kind: $0.0, text: $0.1) })
    }

    struct Case: Sendable {
        let filter: PortalFilter
        let text: String
    }

    @Test(
        "a filter is what a picker can be told of it, or nothing",
        arguments: [
            Case(filter: filter((0, "*.txt")), text: "type:txt "),
            Case(filter: filter((0, "*.[jJ][pP][gG]"), (0, "*.JPEG")), text: "type:jpeg,jpg "),
            Case(filter: filter((0, "*.tar.gz")), text: "type:tar.gz "),
            Case(
                filter: filter((0, "LICENSE*"), (0, "*.md")), text: "(type:md or imatch:license*) "),
            Case(filter: filter((0, "a [x]\"(b")), text: #"imatch:"a [x]\"(b" "#),
            Case(filter: filter((0, "*.[ab]")), text: "imatch:*.[ab] "),
            Case(filter: filter((1, "image/png")), text: "type:png "),
            Case(filter: filter((1, "application/X-PDF")), text: "type:pdf,special "),
            Case(filter: filter((1, "application/x-whole")), text: "imatch:makefile "),
            Case(
                filter: filter((1, "image/*"), (1, "video/*")), text: "(type:image or type:video) "),
            Case(filter: filter((1, "image/*"), (0, "*.x")), text: "type:own,png,x "),
            Case(filter: filter((0, "*.png"), (0, "*")), text: ""),
            Case(filter: filter((0, "*.*")), text: ""),
            Case(filter: filter((0, "")), text: ""),
            Case(filter: filter((0, "a/b")), text: ""),
            Case(filter: filter((1, "text/plain")), text: ""),
            Case(filter: filter((1, "text/*")), text: ""),
            Case(filter: filter((1, "*/*")), text: ""),
            Case(filter: filter((1, "application/octet-stream")), text: ""),
            Case(filter: filter((1, "application/x-none")), text: ""),
            Case(filter: filter((1, "x")), text: ""),
            Case(filter: filter((1, "image/png"), (1, "application/x-none")), text: ""),
            Case(filter: filter((2, "image/png")), text: ""),
            Case(filter: filter(), text: ""),
        ])
    func text(_ example: Case) {
        #expect(conditions.text(of: example.filter) == example.text)
    }

    @Test("a filter of too many patterns is none")
    func many() {
        let most = FilterConditions.mostPatterns
        for (count, isThere) in [(most, true), (most + 1, false)] {
            let rules = (0..<count).map { PortalFilter.Rule(kind: 0, text: "*.x\($0)") }
            let filter = PortalFilter(name: "f", rules: rules)
            #expect(conditions.text(of: filter).isEmpty != isThere)
            // It is one nonetheless.
            #expect(!conditions.matches(filter, [Array("a.y".utf8)]))
        }
    }

    @Test("names match a filter as its conditions would have it")
    func matching() {
        func matches(_ filter: PortalFilter, _ names: String...) -> Bool {
            conditions.matches(filter, names.map { Array($0.utf8) })
        }
        let texts = Self.filter((0, "*.txt"), (0, "READ?ME"))
        #expect(matches(texts, "a.txt", "B.TXT", ".txt", "read-me"))
        #expect(!matches(texts, "a.txt", "a.md"))
        #expect(!matches(texts, "readme"))
        #expect(matches(Self.filter((1, "application/pdf")), "a.PDF", "b.special"))
        #expect(!matches(Self.filter((1, "application/pdf")), "pdf"))
        #expect(matches(Self.filter((1, "application/octet-stream")), "anything"))
        #expect(conditions.matches(texts, [[0xFF, 0x2E, 0x74, 0x78, 0x74]]))
    }
}
