import PluginInterface
import Testing
import WireProtocol

@Suite struct TopicTests {
    @Test(
        "sound topics pass",
        arguments: [
            "a", "a.b", "app.saved", "0", "a-b.c-1", "-", String(repeating: "a", count: 128),
        ])
    func sound(_ text: String) throws {
        #expect(try Topic(validating: text).text == text)
    }

    @Test(
        "others are refused",
        arguments: [
            "", ".", "a.", ".a", "a..b", "A", "a b", "a_b", "é", "*", "a.*", "!a", "a\n",
            String(repeating: "a", count: 129),
        ])
    func unsound(_ text: String) {
        let error = #expect(throws: ProtocolError.self) { try Topic(validating: text) }
        #expect(error?.kind == .invalidParams)
        #expect(error?.at == "topic")
    }

    @Test("the first word decides who owns a topic; a topic of one word has no owner")
    func firstWord() throws {
        #expect(try Topic(validating: "documents.x").firstWord == "documents")
        #expect(try Topic(validating: "a.b.c").firstWord == "a")
        #expect(try Topic(validating: "documents").firstWord == nil)
    }
}
