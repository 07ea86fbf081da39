import Picking
import TerminalCells
import Testing

@Suite("A picker of a folder and a name")
struct SaveTests {
    private let disk = Disk(["/home/Documents/a.txt", "/home/Music/", "/home/old.txt", "/home/ä"])

    private func hand(_ name: String) -> BrowsingHand {
        BrowsingHand(.save(name: name), in: "/home", disk)
    }

    @Test("Enter saves under the name that is there")
    func plain() {
        var hand = hand("draft.txt")
        hand.press(.enter)
        #expect(hand.accepted == "/home/draft.txt")
    }

    @Test("What is typed first takes the place of the name without its extension")
    func stem() {
        for (name, result) in [
            ("draft.txt", "x.txt"), ("a.b.tar.gz", "x.tar.gz"), (".profile", "x"), ("none", "x"),
            (".tar.gz", "x.gz"), ("", "x"),
        ] {
            var hand = hand(name)
            hand.type("x")
            hand.press(.enter)
            #expect(hand.accepted == "/home/\(result)", "\(name)")
        }
        var hand = hand("draft.txt")
        hand.press(.right)
        hand.type("-2")
        #expect(hand.state.name.text == "draft-2.txt")
        var other = self.hand("draft.txt")
        other.press(.backspace)
        #expect(other.state.name.text == ".txt")
        var third = self.hand("draft.txt")
        third.press(.left)
        third.type("my ")
        #expect(third.state.name.text == "my draft.txt")
    }

    @Test("A file that is there is overwritten after one question only")
    func overwrite() {
        var hand = hand("old.txt")
        hand.press(.enter)
        #expect(hand.screen.contains { $0.contains("'old.txt' is there already") })
        hand.press(.enter)
        hand.type("x")
        #expect(hand.state.outcome == nil && hand.state.overlay != nil)
        hand.type("n")
        #expect(hand.state.overlay == nil && hand.state.name.text == "old.txt")
        hand.press(.enter)
        hand.type("yes")
        #expect(hand.accepted == "/home/old.txt over")
    }

    @Test("No name, one with a slash, one that is too long, and that of a folder are refused")
    func names() {
        for (name, said) in [
            ("", "no name"), ("  ", "no name"), ("a/b", "'/'"), ("..", "folder"),
            ("Music", "folder"),
            (String(repeating: "ä", count: 128), "256 bytes"),
        ] {
            var hand = hand(name)
            hand.press(.enter)
            #expect(hand.state.outcome == nil)
            #expect(hand.state.message?.contains(said) == true, "\(name): \(hand.screen)")
        }
        var hand = hand(String(repeating: "a", count: 255))
        hand.press(.enter)
        #expect(hand.accepted != nil)
    }

    @Test("A folder that can't be written is said, and what was typed after it is not done")
    func closed() {
        var hand = hand("a")
        hand.disk.closed = ["/home"]
        hand.isPrompt = false
        hand.press(.enter)
        hand.type("x")
        hand.settle()
        #expect(hand.state.message == "You may not write in this folder")
        #expect(hand.state.outcome == nil && hand.state.name.text == "a")
    }

    @Test("Enter on a folder goes in, and on a file takes its name")
    func rows() {
        var hand = hand("draft.txt")
        hand.press(.down)
        hand.press(.enter)
        #expect(hand.folder == "/home/Documents" && hand.state.name.text == "draft.txt")
        hand.press(.down)
        hand.press(.enter)
        #expect(hand.state.name.text == "a.txt" && hand.name == nil)
        hand.press(.enter)
        hand.type("y")
        #expect(hand.accepted == "/home/Documents/a.txt over")
    }

    @Test("Who goes on typing the name saves here, wherever the cursor was")
    func typing() {
        var hand = hand("draft.txt")
        hand.press(.down)
        hand.type("x")
        #expect(hand.name == nil)
        hand.press(.enter)
        #expect(hand.accepted == "/home/x.txt")
    }

    @Test("Tab leads to the line of the folder and back")
    func tab() {
        var hand = hand("draft.txt")
        hand.press(.tab)
        hand.type("mus")
        #expect(hand.name == "Music" && hand.state.name.text == "draft.txt")
        hand.press(.enter)
        #expect(hand.folder == "/home/Music")
        hand.press(.backspace)
        #expect(hand.folder == "/home")
        hand.press(.tab, .shift)
        hand.type("x")
        hand.press(.enter)
        #expect(hand.accepted == "/home/x.txt")
    }

    @Test("Backspace on a name that is empty does not lead up")
    func emptyName() {
        var hand = hand("a")
        for _ in 0..<5 { hand.press(.backspace) }
        #expect(hand.folder == "/home" && hand.state.name.text == "")
    }

    @Test("The name of a file that is not UTF-8 is not taken")
    func bytes() {
        var hand = hand("a")
        hand.send(
            .listing(
                FolderListing([FolderEntry([0x66, 0xFF], isFolder: false)]),
                of: hand.state.wantedFolder?.number ?? 0))
        hand.isPrompt = false
        hand.press(.down)
        hand.press(.enter)
        #expect(hand.state.name.text == "a" && hand.state.message?.contains("UTF-8") == true)
    }
}
