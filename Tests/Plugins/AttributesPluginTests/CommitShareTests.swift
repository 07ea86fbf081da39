import Testing

@testable import AttributesPlugin

@Suite("The values of one change")
struct CommitShareTests {
    @Test("What takes long is halved, to 64 at least, and what is short is doubled, to 512 at most")
    func adapt() {
        var share = CommitShare()
        var sizes = [share.values]
        for _ in 0..<3 {
            share.adapt(to: .microseconds(1_001))
            sizes.append(share.values)
        }
        #expect(sizes == [256, 128, 64, 64])
        // What takes as long as it may stays.
        share.adapt(to: .milliseconds(1))
        share.adapt(to: .microseconds(334))
        #expect(share.values == 64)
        sizes = []
        for _ in 0..<4 {
            share.adapt(to: .microseconds(333))
            sizes.append(share.values)
        }
        #expect(sizes == [128, 256, 512, 512])
    }
}
