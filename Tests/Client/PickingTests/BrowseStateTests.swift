import Picking
import TerminalCells
import Testing

@Suite("A picker of folders")
struct BrowseStateTests {
    private let disk = Disk([
        "/home/Documents/Work/2024/", "/home/Documents/Archive/", "/home/Documents/report.pdf",
        "/home/Music/", "/home/old.txt", "/home/.config/fish/", "/tmp/",
    ])

    private func hand(
        _ purpose: BrowseOptions.Purpose = .directory, in folder: String = "/home"
    ) -> BrowsingHand {
        BrowsingHand(purpose, in: folder, disk)
    }

    @Test("Enter on the first row chooses the folder, and on another one goes in")
    func enter() {
        var hand = hand()
        hand.press(.down)
        hand.press(.enter)
        #expect(hand.folder == "/home/Documents" && hand.name == nil)
        hand.press(.enter)
        #expect(hand.accepted == "/home/Documents")
    }

    @Test("Alt-Enter chooses what is under the cursor without going in")
    func altEnter() {
        var hand = hand()
        hand.type("mus")
        hand.press(.enter, .alt)
        #expect(hand.accepted == "/home/Music")
        var other = self.hand()
        other.type("nothing")
        other.press(.enter, .alt)
        #expect(other.state.outcome == nil && other.state.message?.contains("nothing") == true)
    }

    @Test("Left and Backspace on an empty line lead up, with the cursor where it came from")
    func up() {
        for code in [KeyPress.Code.left, .backspace] {
            var hand = hand(in: "/home/Documents/Work")
            hand.press(code)
            #expect(hand.folder == "/home/Documents" && hand.name == "Work")
            hand.type("x")
            hand.press(.backspace)
            #expect(hand.folder == "/home/Documents" && hand.name == nil)
        }
        var hand = hand(in: "/")
        hand.press(.up, .alt)
        #expect(hand.folder == "/" && hand.state.message != nil)
    }

    @Test("A path may be typed, also before any folder has been read")
    func paths() {
        var hand = hand(in: "/tmp")
        hand.isPrompt = false
        hand.type("~/doc/work/")
        hand.press(.enter)
        hand.settle()
        #expect(hand.accepted == "/home/Documents/Work")
        var other = self.hand()
        other.type("/home/documents/../music/")
        #expect(other.folder == "/home/Music")
        other.type("//tmp/./")
        #expect(other.folder == "/tmp" && other.state.filter.text == "")
    }

    @Test("What follows a name that is nowhere is not typed elsewhere")
    func nowhere() {
        var hand = hand()
        hand.type("nowhere/music/")
        #expect(hand.folder == "/home" && hand.state.filter.text == "nowhere")
        #expect(hand.state.message?.contains("nowhere") == true)
    }

    @Test("The name of a folder is preferred to its beginning, and that to a part")
    func best() {
        var disk = Disk(["/xa/", "/ab/", "/a/", "/A/", "/aa.txt"])
        for (typed, name) in [("a", "a"), ("A", "A"), ("ab", "ab"), ("X", "xa")] {
            var hand = BrowsingHand(.directory, in: "/", disk)
            hand.type(typed)
            #expect(hand.name == name)
        }
        disk.remove("/a")
        var hand = BrowsingHand(.directory, in: "/", disk)
        hand.type("a")
        #expect(hand.name == "A")
    }

    @Test("In a folder of which not all names are known the typed one is tried")
    func unlisted() {
        var hand = BrowsingHand(.directory, in: "/many", Disk(["/many/one/inner/"]))
        var cut = FolderListing([FolderEntry(Array("one more".utf8), isFolder: true)])
        cut.isCut = true
        hand.send(.listing(cut, of: hand.state.wantedFolder?.number ?? 0))
        hand.type("one/inner/")
        #expect(hand.folder == "/many/one/inner")
    }

    @Test("Hidden names are shown on request, and to who types a dot")
    func hidden() {
        var hand = hand()
        #expect(hand.screen.contains { $0.contains("1 hidden") })
        hand.type(".conf")
        #expect(hand.name == ".config")
        hand.press(control: "u")
        #expect(!hand.screen.joined().contains(".config"))
        hand.press(alt: "h")
        #expect(hand.screen.joined().contains(".config/"))
    }

    @Test("The cursor stays at its name when others come and go")
    func live() {
        var hand = hand()
        hand.press(.end)
        #expect(hand.name == "Music")
        hand.disk.add("/home/Apples/")
        hand.settle()
        #expect(hand.name == "Music" && hand.screen.contains { $0.hasPrefix(">  Music/") })
        hand.disk.remove("/home/Documents")
        hand.settle()
        #expect(hand.name == "Music")
    }

    @Test("Enter does not go into a folder that came under the cursor unseen")
    func unseen() {
        for modifiers in [KeyPress.Modifiers(), .alt] {
            var hand = hand()
            hand.press(.down)
            hand.isPrompt = false
            hand.disk.remove("/home/Documents")
            _ = hand.answerOnce()
            #expect(hand.name == "Music")
            hand.press(.enter, modifiers)
            #expect(hand.folder == "/home" && hand.state.message == "'Documents' is gone")
            hand.press(.enter, modifiers)
            hand.settle()
            #expect(hand.folder == "/home/Music" || hand.accepted == "/home/Music")
        }
    }

    @Test("A folder that vanishes leads to the one above that is still there")
    func vanished() {
        var hand = hand(in: "/home/Documents/Work/2024")
        hand.disk.remove("/home/Documents")
        hand.settle()
        #expect(hand.folder == "/home" && hand.state.message?.contains("is not there") == true)
    }

    @Test("A folder that can't be read says why, and can be left")
    func fault() {
        var hand = hand(in: "/home/Music")
        hand.send(
            .listing(
                FolderListing(fault: "You may not read this folder"),
                of: hand.state.wantedFolder?.number ?? 0))
        #expect(hand.screen.contains("   You may not read this folder"))
        hand.press(.left)
        #expect(hand.folder == "/home")
    }

    @Test("While a folder is read, keys wait, but those that end it or lead up do not")
    func waiting() {
        var hand = hand()
        hand.isPrompt = false
        hand.type("music/")
        hand.press(.enter)
        #expect(hand.state.outcome == nil && hand.screen[1].contains("reading"))
        #expect(hand.screen[1].contains("keys wait"))
        var other = hand
        other.press(.up, .alt)
        #expect(other.folder == "/home")
        other.settle()
        #expect(other.state.outcome == nil && other.name == "Music")
        hand.press(.escape)
        #expect(hand.state.outcome == .cancelled)
    }

    @Test("Esc, Ctrl-C, Ctrl-D and signals end it")
    func ends() {
        for letter in ["c", "d", "g"] as [Character] {
            var hand = hand()
            hand.press(control: letter)
            #expect(hand.state.outcome == .cancelled)
            #expect(hand.state.wantedFolder == nil && hand.state.wantedRequest == nil)
        }
        var hand = hand()
        hand.send(.signal(15))
        #expect(hand.state.outcome == .signal(15))
    }

    @Test("A double click goes in, one on the path leads up, and the wheel moves")
    func mouse() {
        var hand = hand()
        hand.click(row: 3)
        #expect(hand.name == "Documents")
        hand.click(row: 3)
        #expect(hand.folder == "/home/Documents")
        hand.click(row: 0)
        #expect(hand.folder == "/home" && hand.name == "Documents")
        hand.click(row: 4)
        if let timer = hand.state.wantedTimer { hand.send(.timeOut(timer.number)) }
        hand.click(row: 4)
        #expect(hand.folder == "/home" && hand.name == "Music")
        hand.input(.mouse(MouseEvent(.wheelUp, at: CellPlace(row: 5, column: 5))))
        #expect(hand.name == "Documents")
    }

    @Test("A new folder is made and shown; a bad name is refused, and nothing is lost")
    func newFolder() {
        var hand = hand()
        hand.type("Pict")
        hand.press(alt: "n")
        hand.type("ures/2")
        hand.press(.enter)
        #expect(hand.state.message?.contains("'/'") == true)
        hand.press(.backspace)
        hand.press(.backspace)
        hand.press(.enter)
        #expect(hand.folder == "/home/Pictures" && hand.state.overlay == nil)
        hand.press(alt: "n")
        hand.type("x")
        hand.press(.escape)
        #expect(hand.state.overlay == nil && hand.state.outcome == nil)
        hand.disk.closed = ["/home/Pictures"]
        hand.press(alt: "n")
        hand.type("x")
        hand.press(.enter)
        #expect(hand.state.overlay == .newFolder(QueryLine("x")))
        #expect(hand.state.message == "You may not write in this folder")
    }
}
