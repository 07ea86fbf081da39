import Testing
import WireProtocol

@Suite struct EpochNumberTests {
    @Test(
        "an epoch and a number, separated by the last colon",
        arguments: [
            ("e:0", "e", 0), ("a:b:17", "a:b", 17), ("é:007", "é", 7), (":1:2", ":1", 2),
            ("e:9223372036854775807", "e", Int.max),
        ])
    func read(_ text: String, _ epoch: String, _ number: Int) throws {
        let read = try #require(EpochNumber(text))
        #expect(read.epoch == epoch && read.number == number)
    }

    @Test(
        "anything else is refused",
        arguments: [
            "", ":", "e", "e:", ":1", "e:+1", "e:-1", "e:1 ", "e: 1", "e:1x", "e:٣", "e:1\u{301}",
            "e:9223372036854775808",
        ])
    func refused(_ text: String) {
        #expect(EpochNumber(text) == nil)
    }
}
