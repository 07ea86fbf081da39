import TerminalCells
import Testing
import pickerctl

@Suite("What pick asks its terminal about images")
struct ImageSupportTests {
    private let cell = CellPixels(width: 9, height: 18)

    @Test(
        "A multiplexer, a console and what is no terminal are not asked",
        arguments: [
            ["TERM": "linux"], ["TERM": "screen-256color"], ["TERM": "tmux-256color"],
            ["TERM": "xterm", "TMUX": "/tmp/tmux,1,0"], ["TERM": "xterm", "STY": "1.x"],
            ["TERM": "vt100"], ["TERM": "rxvt-unicode-256color"], [:],
        ])
    func silent(environment: [String: String]) {
        var support = ImageSupport(TerminalFeatures(), environment)
        #expect(support.question() == nil)
        #expect(support.take(.kittyGraphics(true), cell: nil) == nil)
        #expect(support.take(.attributes([4]), cell: nil) == nil)
    }

    @Test("A terminal is asked once, and its last answer ends the question")
    func question() {
        var support = ImageSupport(TerminalFeatures(), ["TERM": "xterm-kitty"])
        #expect(support.question() == TerminalQuestions.aboutImages)
        #expect(support.question() == nil && support.isAsked)
        #expect(support.take(.kittyGraphics(true), cell: nil) == nil)
        #expect(support.take(.attributes([62, 4]), cell: cell)?.images == .kitty)
        #expect(!support.isAsked)
        #expect(support.take(.attributes([62]), cell: nil) == nil)
    }

    @Test("Sixels are known by a number, and the size of a cell from whoever tells it")
    func answers() {
        var support = ImageSupport(TerminalFeatures(), ["TERM": "xterm"])
        _ = support.question()
        #expect(support.take(.kittyGraphics(false), cell: nil) == nil)
        let sixels = support.take(.attributes([62, 4]), cell: cell)
        #expect(sixels?.images == .sixel && sixels?.cell == cell)
        support = ImageSupport(TerminalFeatures(), ["TERM": "xterm"])
        _ = support.question()
        let told = CellPixels(width: 10, height: 20)
        if let told { _ = support.take(.cellSize(told), cell: nil) }
        let none = support.take(.attributes([62, 22]), cell: cell)
        #expect(none?.images == TerminalFeatures.Images.none && none?.cell == told)
    }
}
