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

    @Test("the daemon's own are told from others")
    func reserved() throws {
        for text in ["documents.x", "daemon.a.b", "watch.x", "layout.x", "plugin.x", "items.x"] {
            #expect(try Topic(validating: text).isReserved)
        }
        for text in ["documents", "document.x", "documentsx.a", "app.documents.x", "x"] {
            #expect(try !Topic(validating: text).isReserved)
        }
    }
}
