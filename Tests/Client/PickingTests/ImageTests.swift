import Picking
import TerminalCells
import Testing

@Suite("Images in a picker")
struct ImageTests {
    private let content = ImageContent.kittyFile(Array("/home/a.png".utf8))

    private func hand(_ change: (inout PickOptions) -> Void = { _ in }) -> Hand {
        var hand = Hand(rows: 12, columns: 80) {
            $0.preview = .right
            change(&$0)
        }
        hand.show(["a.png", "b.png"])
        return hand
    }

    private func images(_ hand: Hand) -> [ImagePlacement] {
        PickDrawing.frame(of: hand.state).images
    }

    @Test("An image is at the start of the preview, and no other of another document")
    func place() throws {
        var hand = hand()
        let request = try #require(hand.state.wantedPreview)
        #expect(request.key == "k-a.png")
        let image = PreviewImage(content, TerminalSize(rows: 3, columns: 20))
        hand.send(.preview(request: request.number, .image(image)))
        let place = try #require(hand.state.places.preview)
        let first = try #require(images(hand).first)
        #expect(images(hand).count == 1 && first.content == content)
        #expect(
            first.rect == CellRect(row: place.row, column: place.column, rows: 3, columns: 20))
        hand.press(.down)
        #expect(images(hand).isEmpty)
        let next = try #require(hand.state.wantedPreview)
        hand.send(.preview(request: next.number, .image(image)))
        #expect(images(hand).first?.id != first.id && images(hand).count == 1)
        hand.press(alt: "p")
        #expect(images(hand).isEmpty)
    }

    @Test("An image that lies under a box, or is larger than its place, is not shown")
    func hidden() throws {
        var hand = hand()
        let request = try #require(hand.state.wantedPreview)
        let image = PreviewImage(content, TerminalSize(rows: 8, columns: 30))
        hand.send(.preview(request: request.number, .image(image)))
        #expect(images(hand).count == 1)
        hand.press(.function(1))
        #expect(images(hand).isEmpty)
        hand.press(.escape)
        #expect(images(hand).count == 1)
        hand.send(.resized(TerminalSize(rows: 12, columns: 55)))
        #expect(images(hand).isEmpty)
        hand.send(.resized(TerminalSize(rows: 9, columns: 80)))
        #expect(images(hand).isEmpty)
    }

    @Test("When the terminal has said what it can do, the preview is asked for anew")
    func features() throws {
        var hand = hand()
        let before = try #require(hand.state.wantedPreview)
        let features = TerminalFeatures(images: .kitty, readsFiles: true)
        hand.send(.terminal(features))
        let request = try #require(hand.state.wantedPreview)
        #expect(request.number != before.number && request.terminal == features)
        hand.send(.terminal(features))
        #expect(hand.state.wantedPreview == request)
    }

    @Test("A command for previews is not run again for it, and shows no images")
    func commands() throws {
        var hand = hand { $0.previewCommand = "cat {}" }
        let before = try #require(hand.state.wantedPreview)
        #expect(!hand.state.mayShowImages)
        hand.send(.terminal(TerminalFeatures(images: .kitty)))
        #expect(hand.state.wantedPreview == before)
    }

    @Test("The terminal is of interest while a preview of this program is shown, in color")
    func interest() {
        var hand = hand()
        #expect(hand.state.mayShowImages)
        hand.press(alt: "p")
        #expect(!hand.state.mayShowImages)
        let colorless = self.hand { $0.terminal = TerminalFeatures(hasColor: false) }
        #expect(!colorless.state.mayShowImages)
    }

    @Test("Reports of the terminal are no keys")
    func reports() {
        var hand = hand()
        let before = hand.state
        hand.send(.input(.report(.attributes([4])), seen: 1))
        #expect(hand.state == before)
    }
}
