import DataBus
import Observables
import Testing

// The examples of the article, word for word, with their output. DocumentationTests checks that both
// stay the same.

@Suite("The article")
struct ArticleTests {
    private final class Log {
        var entries: [String] = []
    }

    private let log = Log()

    /// Shadows the standard library's.
    private func print(_ item: Any) { log.entries.append("\(item)") }

    struct Saved: Event {
        let path: String
        var topic: String { "app.saved" }
    }

    struct Closed: Event {
        var topic: String { "app.closed" }
    }

    @Test("sends and subscribes")
    func sending() {
        let bus = EventBus()
        let connections = [
            bus >> { (event: Saved) in print("saved \(event.path)") },
            bus >> { (event: any Event) in print("something under \(event.topic)") },
            bus.subscribe(topics: ["app.*", "!app.saved"]) { sent in
                print("\(sent.sequence): \(sent.event.topic)")
            },
        ]
        bus << Saved(path: "a.txt")
        // Prints "saved a.txt", then "something under app.saved"
        bus << Closed()
        // Prints "something under app.closed", then "2: app.closed"
        withExtendedLifetime(connections) {}
        #expect(
            log.entries == [
                "saved a.txt", "something under app.saved", "something under app.closed",
                "2: app.closed",
            ])
    }

    @Test("shows the order of events sent by handlers")
    func order() {
        let bus = EventBus()
        let connections = [
            bus >> { (event: Saved) in
                print("first: \(event.path)")
                if event.path == "a.txt" { bus << Saved(path: "b.txt") }
            },
            bus >> { (event: Saved) in print("second: \(event.path)") },
        ]
        bus << Saved(path: "a.txt")
        // Prints "first: a.txt", "second: a.txt", "first: b.txt", "second: b.txt"
        withExtendedLifetime(connections) {}
        #expect(log.entries == ["first: a.txt", "second: a.txt", "first: b.txt", "second: b.txt"])
    }

    @Test("replays")
    func replay() {
        let bus = EventBus()
        bus.bufferLength = 3
        for name in ["a", "b", "c", "d"] { bus << Saved(path: name) }
        let connection = bus.subscribe(replaying: 2) { (event: Saved) in print(event.path) }
        // Prints "c", then "d"
        bus << Saved(path: "e")  // Prints "e"
        bus.replay { (event: Saved) in print("kept: \(event.path)") }
        // Prints "kept: c", "kept: d", "kept: e"
        withExtendedLifetime(connection) {}
        #expect(log.entries == ["c", "d", "e", "kept: c", "kept: d", "kept: e"])
    }

    @Test("reads by number")
    func reading() {
        let bus = EventBus()
        var next = 1
        let wakeup = bus.wakeup { print("there is something") }
        wakeup.arm()
        for name in ["a", "b", "c", "d", "e", "f"] { bus << Saved(path: name) }
        // Prints "there is something"
        print("\(bus.oldestSequence - next) lost")  // Prints "1 lost"
        next = bus.oldestSequence
        while let sent = bus.kept(sequence: next) {
            print("\(sent.sequence): \((sent.event as? Saved)?.path ?? "")")
            next += 1
        }
        // Prints "2: b", "3: c", "4: d", "5: e", "6: f"
        #expect(
            log.entries == ["there is something", "1 lost", "2: b", "3: c", "4: d", "5: e", "6: f"])
    }

    final class Title {
        private(set) var text = ""
        private var connection: Connection?

        init(_ bus: EventBus) {
            connection = bus >> { [unowned self] (event: Saved) in text = event.path }
        }
    }

    @Test("makes no cycle")
    func lifetime() {
        let bus = EventBus()
        var title: Title? = Title(bus)
        bus << Saved(path: "a.txt")
        #expect(title?.text == "a.txt")
        weak let gone = title
        title = nil
        #expect(gone == nil)
        bus << Saved(path: "b.txt")
    }
}
