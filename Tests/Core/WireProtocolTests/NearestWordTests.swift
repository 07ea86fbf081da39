import Testing
import WireProtocol

@Suite struct NearestWordTests {
    private let words = ["size", "suffix", "modified", "match", "imatch", "not", "or"]

    @Test(
        "a word with a typing mistake is found",
        arguments: [
            ("sise", "size"), ("SIZE", "size"), ("szie", "size"), ("sufix", "suffix"),
            ("modifed", "modified"), ("modfiied", "modified"), ("mach", "match"), ("nto", "not"),
        ])
    func near(_ word: String, _ meant: String) {
        #expect(NearestWord.to(word, among: words) == meant)
        #expect(NearestWord.hint(for: word, among: words) == "; did you mean '\(meant)'?")
    }

    @Test("case is ignored on both sides")
    func caseless() {
        #expect(NearestWord.to("rowheight", among: ["rowHeight", "spacing"]) == "rowHeight")
        #expect(NearestWord.to("MINWIDHT", among: ["rowHeight", "minWidth"]) == "minWidth")
    }

    @Test(
        "others are not", arguments: ["", "x", "colour", "sz", String(repeating: "a", count: 500)])
    func far(_ word: String) {
        #expect(NearestWord.to(word, among: words) == nil)
        #expect(NearestWord.hint(for: word, among: words) == "")
    }
}
