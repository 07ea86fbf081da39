import Observables
import Testing

// The examples of the articles, word for word, with their output. DocumentationTests checks
// that both stay the same.

@Suite struct ArticleTests {
    private let log = Log<String>()

    /// Shadows the standard library's.
    private func print(_ item: Any) { log.add("\(item)") }

    @Test("The article on values: a computed value emits only its own changes")
    func derivedValue() {
        let temperature = Variable(20)
        let isWarm = temperature.map { $0 >= 25 }
        let connection = isWarm.connect { print($0.new ? "warm" : "cool") }
        temperature.value = 22  // Prints nothing: it is not warm, as before.
        temperature.value = 27  // Prints "warm"
        connection.disconnect()
        #expect(log.entries == ["warm"])
    }

    @Test("The article on values: the changes of an array")
    func arrayChanges() {
        let names: ArrayVariable<String> = ["Ada", "Grace"]
        var copy = names.value
        let connection = names.connect { change in
            for modification in change.modifications {
                switch modification {
                case .insert(let name, at: let row): print("\(name) comes to \(row)")
                case .remove(let name, at: let row): print("\(name) leaves \(row)")
                case .replace(let old, at: let row, with: let new):
                    print("\(new) replaces \(old) at \(row)")
                case .replaceRange(let old, at: let row, with: let new):
                    print("\(new.count) names replace \(old.count) at \(row)")
                }
            }
            change.apply(on: &copy)
        }
        names.insert("Barbara", at: 1)  // Prints "Barbara comes to 1"
        transaction {
            names.append("Katherine")
            names.remove(at: 0)
        }  // Prints "Ada leaves 0", then "Katherine comes to 2"
        connection.disconnect()
        #expect(
            log.entries == ["Barbara comes to 1", "Ada leaves 0", "Katherine comes to 2"])
        #expect(copy == names.value)
    }

    @Test("The article on values: changes merge and reverse")
    func merging() {
        let first = ArrayChange(initialCount: 2, modification: .insert("b", at: 1))
        let second = ArrayChange(initialCount: 3, modification: .remove("a", at: 0))
        let both = first.merged(with: second)
        var rows = ["a", "c"]
        both.apply(on: &rows)
        print(rows)  // Prints "["b", "c"]"
        both.reversed().apply(on: &rows)
        print(rows)  // Prints "["a", "c"]"
        #expect(log.entries == [#"["b", "c"]"#, #"["a", "c"]"#])
    }

    @Test("The article on transactions: reads inside, one change at the end")
    func transactions() {
        let width = Variable(3)
        let height = Variable(4)
        let area = width * height
        let connection = area.connect { print("\($0.old) -> \($0.new)") }
        transaction {
            width.value = 5
            print(area.value)  // Prints "20"
            height.value = 6
        }  // Prints "12 -> 30"
        connection.disconnect()
        #expect(log.entries == ["20", "12 -> 30"])
    }

    @Test("The article on transactions: writes of a sink")
    func writingSinks() {
        let wanted = Variable(20)
        let allowed = Variable(20)
        let connections = [
            wanted.connect { allowed.value = min($0.new, 30) },
            allowed.connect { print("set to \($0.new)") },
            wanted.connect { print("wanted \($0.new), was \(allowed.value)") },
        ]
        wanted.value = 40  // Prints "wanted 40, was 20", then "set to 30"
        for connection in connections { connection.disconnect() }
        #expect(log.entries == ["wanted 40, was 20", "set to 30"])
    }

    @Test("The article on transactions: a cycle is reported")
    func circles() {
        let scheduler = ObservableScheduler.current
        scheduler.onCascade = { print("stopped: \($0.kind)") }
        defer { scheduler.onCascade = nil }
        let number = Variable(0)
        let connection = number.connect { number.value = $0.new + 1 }
        number.value = 1  // Prints "stopped: observers"
        connection.disconnect()
        number.value = 0  // All can be used as before.
        #expect(log.entries == ["stopped: observers"])
        #expect(number.value == 0)
    }

    /// Rows with a header, unless there are none.
    struct Headed: ObservableArrayType {
        let observableArray: ObservableArray<String>

        init(_ rows: ObservableArray<String>, header: String) {
            let hasRows = rows.observableCount.map { $0 > 0 }
            let front = ObservableArray.constant([header])
                .filter(where: hasRows.map { hasRows in { _ in hasRows } })
            observableArray = front + rows
        }
    }

    /// A volume from 0 to 100.
    final class Volume: ObservableScalarType {
        private let percent = Variable(50)

        var value: Int {
            get { percent.value }
            set { percent.value = min(max(newValue, 0), 100) }
        }

        var changes: Source<ScalarChange<Int>> { percent.changes }
        var observable: Observable<Int> { percent.observable }
    }

    @Test("The article on writing your own observable")
    func ownObservables() {
        let rows = ArrayVariable<String>()
        let headed = Headed(rows.observableArray, header: "Recent")
        let connection = headed.connect { _ in print(headed.value) }
        rows.append("a.md")  // Prints "["Recent", "a.md"]"
        rows.removeAll()  // Prints "[]"
        connection.disconnect()

        let volume = Volume()
        let isLoud = volume > Observable.constant(80)
        volume.value = 120
        print("\(volume.value) \(isLoud.value)")  // Prints "100 true"
        #expect(log.entries == [#"["Recent", "a.md"]"#, "[]", "100 true"])
    }

    final class Label {
        private(set) var text: String
        private var connection: Connection?

        init(_ title: Observable<String>) {
            text = title.value
            connection = title.connect { [unowned self] in text = $0.new }
        }
    }

    @Test("The article on lifetime: a label follows as long as it lives")
    func lifetime() {
        let title = Variable("Untitled")
        var label: Label? = Label(title.observable)
        title.value = "Essay"
        #expect(label?.text == "Essay")
        label = nil
        title.value = "Novel"
    }

    @Test("The article on values: two variables bound to each other")
    func binding() {
        let seconds = Variable(0)
        let minutes = Variable(3)
        let binding = seconds.bind(
            to: minutes, forward: { $0 / 60 }, backward: { $0 * 60 })
        print(seconds.value)  // Prints "180"
        seconds.value = 200
        print(minutes.value)  // Prints "3"
        minutes.value = 5
        print(seconds.value)  // Prints "300"
        binding.disconnect()
        #expect(log.entries == ["180", "3", "300"])
    }
}
