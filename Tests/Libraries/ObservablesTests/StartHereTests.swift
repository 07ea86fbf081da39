import Observables
import Testing

// The examples of StartHere.md and of the pages it links to, word for word. DocumentationTests checks that
// both stay the same.

final class Player {
    private(set) var position = 0
    let moved = Signal<Void>()

    func seek(to position: Int) {
        self.position = position
        moved.send(())
    }
}

@Suite struct StartHereTests {
    private let log = Log<String>()

    /// Shadows the standard library's.
    private func print(_ item: Any) { log.add("\(item)") }

    @Test("The first lines")
    func firstLines() {
        let names: ArrayVariable<String> = ["Grace", "Ada"]
        let isShort = Variable(false)
        let shown = names.sorted()
            .filter(where: isShort.map { isShort in { !isShort || $0.count < 4 } })
        var connections: Set<Connection> = []
        shown.values.connect { print($0) }.store(in: &connections)  // Prints "["Ada", "Grace"]"
        names.append("Alan")  // Prints "["Ada", "Alan", "Grace"]"
        isShort.value = true  // Prints "["Ada"]"
        connections = []
        #expect(
            log.entries == [#"["Ada", "Grace"]"#, #"["Ada", "Alan", "Grace"]"#, #"["Ada"]"#])
        names.append("Bo")
        #expect(log.entries.count == 3)
    }

    @Test("A loop follows a value")
    @MainActor
    func loop() async {
        let number = Variable(1)
        for await value in (number * 10).asyncValues {
            print(value)  // Prints "10", then "30"
            if value == 30 { break }
            number.value += 1
            number.value += 1
        }
        #expect(log.entries == ["10", "30"])
    }

    @Test("The article on writing your own observable: a getter and a source")
    func getter() {
        let player = Player()
        let position = Observable(getter: { player.position }, changes: player.moved)
        let connection = (position / 60).connect { print("minute \($0.new)") }
        player.seek(to: 59)  // Prints nothing: it is minute 0, as before.
        player.seek(to: 121)  // Prints "minute 2"
        connection.disconnect()
        #expect(log.entries == ["minute 2"])
    }

    @Test("The article on dictionaries: a join")
    func join() {
        let people: DictionaryVariable<Int, String> = [1: "Ada", 2: "Grace"]
        let desks: ArrayVariable<Int> = [2, 1, 3]
        let plates = desks.selectEach { people.observable(forKey: $0).map { $0 ?? "free" } }
        let connection = plates.connect { _ in print(plates.value) }
        people[3] = "Alan"  // Prints "["Grace", "Ada", "Alan"]"
        connection.disconnect()
        #expect(log.entries == [#"["Grace", "Ada", "Alan"]"#])
    }

    @Test("The article on trees: a tree from ids")
    func tree() {
        let parents: [String: String] = ["drafts": "docs", "essay": "drafts"]
        let rows: SetVariable<String> = ["docs", "essay"]
        let tree = rows.tree(id: { $0 }, parent: { parents[$0] })
        let inDrafts = tree.children(of: "drafts")
        let connection = tree.roots.connect { _ in print(tree.roots.value.sorted()) }
        print(inDrafts.value)  // Prints "["essay"]"
        rows.insert("drafts")  // Prints "["docs"]"
        connection.disconnect()
        #expect(log.entries == [#"["essay"]"#, #"["docs"]"#])
    }

    @Test("The article on lifetime: a connection for each element")
    func connectEach() {
        let files: SetVariable<String> = ["a.md"]
        let connection = files.connectEach { name in
            print("open \(name)")
            return Connection { print("close \(name)") }
        }  // Prints "open a.md"
        files.insert("b.md")  // Prints "open b.md"
        files.remove("a.md")  // Prints "close a.md"
        connection.disconnect()  // Prints "close b.md"
        #expect(log.entries == ["open a.md", "open b.md", "close a.md", "close b.md"])
    }
}
