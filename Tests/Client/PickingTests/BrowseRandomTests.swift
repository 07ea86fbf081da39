import Picking
import TerminalCells
import TestSupport
import Testing

@Suite("Pickers of folders by chance")
struct BrowseRandomTests {
    private static let names = ["a", "ab", "Ab", "b", "ba", "cab", ".h", ".ab", "d e", "f", "home"]

    private func path(_ random: inout SeededRandom) -> String {
        let depth = Int.random(in: 1...3, using: &random)
        return (0..<depth).map { _ in "/" + (Self.names.randomElement(using: &random) ?? "a") }
            .joined()
    }

    private func change(_ disk: inout Disk, _ random: inout SeededRandom) {
        let path = path(&random)
        if random.chance(0.7) {
            // A name is that of a folder or of a file: here of files with a dot in them.
            disk.add(random.chance(0.6) ? path + "/" : path + ".txt")
        } else if path != "/home" {
            disk.remove(path)
            disk.remove(path + ".txt")
        }
    }

    @Test("Typed ahead on a slow disk, it comes to the same as a plain one")
    func oracle() throws {
        try withSeed { random in
            for _ in 0..<testRounds(150) {
                var disk = Disk(["/home/"])
                for _ in 0..<20 { change(&disk, &random) }
                var hand = BrowsingHand(
                    .directory, in: "/", disk, rows: Int.random(in: 4...30, using: &random))
                var plain = PlainBrowser(folder: "/", withFiles: false)
                for step in 0..<60 where hand.state.outcome == nil {
                    hand.isPrompt = random.chance(0.3)
                    try act(&hand, &plain, &random)
                    // Only what the disk is asked is waited for: a refusal takes back what was typed after it.
                    if hand.state.wantedRequest != nil || random.chance(0.2) {
                        try compare(&hand, plain, step)
                        let name = plain.name(hand.disk)
                        for _ in 0..<3 { change(&hand.disk, &random) }
                        hand.settle()
                        hand.draw()
                        if hand.state.outcome == nil { plain.follow(hand.disk, from: name) }
                        try compare(&hand, plain, step)
                    }
                }
                try compare(&hand, plain, -1)
            }
        }
    }

    private func act(
        _ hand: inout BrowsingHand, _ plain: inout PlainBrowser, _ random: inout SeededRandom
    ) throws {
        let disk = hand.disk
        switch Int.random(in: 0..<12, using: &random) {
        case 0...3:
            let name = Self.names.randomElement(using: &random) ?? "a"
            let text = ["", "/", "/", "", "../", "~/"].randomElement(using: &random) ?? ""
            hand.type(name + text)
            plain.type(name + text, disk)
        case 4:
            hand.press(.enter)
            plain.enter(disk)
            // It may have waited for the folder; what comes behind it is typed nowhere.
            if plain.accepted != nil { hand.settle() }
        case 5:
            hand.press(.down)
            plain.move(1, disk)
        case 6:
            hand.press(.up)
            plain.move(-1, disk)
        case 7:
            hand.press(.backspace)
            if plain.filter.isEmpty {
                plain.up(disk)
            } else {
                plain.edit(String(plain.filter.dropLast()), disk)
            }
        case 8:
            hand.press(control: "u")
            plain.edit("", disk)
        case 9:
            hand.press(.tab)
            _ = plain.goIn(disk)
        case 10:
            hand.press(.end, .control)
            plain.move(1000, disk)
        default:
            // Shown and hidden names are told apart when the keys before it have been taken.
            hand.settle()
            let name = plain.name(disk)
            hand.press(alt: "h")
            plain.showsHidden.toggle()
            if let name, let place = plain.rows(disk).firstIndex(of: name) { plain.place = place }
            plain.move(0, disk)
        }
    }

    private func compare(
        _ hand: inout BrowsingHand, _ plain: PlainBrowser, _ step: Int
    ) throws {
        hand.settle()
        try #require(hand.accepted == plain.accepted, "step \(step)")
        if plain.accepted != nil { return }
        try #require(hand.folder == plain.folder, "step \(step)")
        try #require(hand.state.filter.text == plain.filter, "step \(step)")
        let name = plain.name(hand.disk).map { String($0.dropLast()) }
        try #require(hand.name == name, "step \(step)")
        try #require(hand.state.cursor.place == plain.place, "step \(step)")
        let list = hand.state.places.list
        let rows = plain.rows(hand.disk).dropFirst(hand.state.cursor.top).prefix(list.rows)
        for (index, row) in rows.enumerated() {
            let shown = hand.screen[list.row + index].dropFirst(3)
            try #require(shown == row ?? ".  this folder", "step \(step)")
        }
    }

    @Test("Whatever happens in whatever order, what holds goes on to hold")
    func chaos() {
        withSeed { random in
            for round in 0..<testRounds(60) {
                var disk = Disk(["/home/"])
                for _ in 0..<15 { change(&disk, &random) }
                let purpose =
                    round % 2 == 0 ? BrowseOptions.Purpose.directory : .save(name: "a.txt")
                var hand = BrowsingHand(purpose, in: "/", disk)
                hand.isPrompt = false
                for _ in 0..<300 {
                    let before = hand.state.outcome
                    chaoticStep(&hand, &random)
                    if before != nil { #expect(hand.state.outcome == before) }
                    if random.chance(0.1) { _ = BrowseDrawing.frame(of: hand.state) }
                }
            }
        }
    }

    private func chaoticStep(_ hand: inout BrowsingHand, _ random: inout SeededRandom) {
        let number = hand.state.wantedFolder?.number ?? 0
        switch Int.random(in: 0..<16, using: &random) {
        case 0: change(&hand.disk, &random)
        case 1, 2, 3: _ = hand.answerOnce()
        case 4: hand.send(.answered(request: Int.random(in: 0..<40, using: &random), .file))
        case 5:
            let answers: [FolderAnswer] = [.done, .free, .file, .folder, .refused("no")]
            hand.send(
                .answered(
                    request: hand.state.wantedRequest?.number ?? 0,
                    answers.randomElement(using: &random) ?? .free))
        case 6:
            let rows = Int.random(in: 0..<9, using: &random)
            hand.send(.resized(TerminalSize(rows: rows, columns: rows * 5)))
        case 7:
            hand.send(.listing(FolderListing(fault: "no", isGone: random.chance(0.2)), of: number))
        case 8: hand.send(.timeOut(Int.random(in: 0..<40, using: &random)))
        case 9:
            hand.click(
                row: Int.random(in: -1..<12, using: &random),
                button: Int.random(in: 0..<3, using: &random))
        case 10...12:
            hand.type(
                ["a", "/", "b/a", "n", "y", "..", "~/x/"].randomElement(using: &random) ?? "a")
        default: press(&hand, &random)
        }
    }

    private func press(_ hand: inout BrowsingHand, _ random: inout SeededRandom) {
        let keys: [KeyPress] = [
            KeyPress(.enter), KeyPress(.enter, .alt), KeyPress(.tab), KeyPress(.left),
            KeyPress(.right), KeyPress(.up), KeyPress(.down), KeyPress(.backspace),
            KeyPress(.delete),
            KeyPress(.up, .alt), KeyPress(.character("n"), .alt), KeyPress(.character("h"), .alt),
            KeyPress(.function(1)), KeyPress(.end), KeyPress(.home), KeyPress(.pageDown),
            KeyPress(.character("u"), .control), KeyPress(.character("y"), .control),
        ]
        let rare: [KeyPress] = [KeyPress(.escape), KeyPress(.character("c"), .control)]
        let key = (random.chance(0.02) ? rare : keys).randomElement(using: &random)
        hand.send(
            .input(
                .key(key ?? KeyPress(.enter)),
                seen: hand.frame - Int.random(in: 0..<3, using: &random)))
        if random.chance(0.5) { hand.draw() }
    }
}
