import Observables
import Testing

// The examples of the articles on large lists, and on dictionaries and groups. See
// ArticleTests.swift.

@Suite struct CollectionArticleTests {
    private let log = Log<String>()

    /// Shadows the standard library's.
    private func print(_ item: Any) { log.add("\(item)") }

    @Test("The article on large lists: a window emits the rows at its edges")
    func window() {
        let lines = ArrayVariable((0..<1_000).map { "line \($0)" })
        let top = Variable(100)
        let screen = lines.window(start: top.observable, count: .constant(3))
        let connection = screen.connect { change in
            for modification in change.modifications {
                print("\(modification.oldElements) -> \(modification.newElements)")
            }
        }
        top.value = 101  // Prints "["line 100"] -> []", then "[] -> ["line 103"]"
        lines.append("the last")  // Prints nothing
        lines.insert("the first", at: 0)  // Prints "[] -> ["line 100"]", "["line 103"] -> []"
        connection.disconnect()
        #expect(
            log.entries == [
                #"["line 100"] -> []"#, #"[] -> ["line 103"]"#, #"[] -> ["line 100"]"#,
                #"["line 103"] -> []"#,
            ])
    }

    @Test("The article on large lists: a window follows its anchor")
    func anchor() {
        let names: ArrayVariable<String> = ["Ada", "Barbara", "Grace", "Katherine"]
        let selected = Variable<String?>("Grace")
        let nearby = names.window(anchoredAt: selected.observable, before: 1, count: 3)
        let connection = nearby.connect { _ in print(nearby.value) }
        names.insert("Annie", at: 0)  // Prints nothing: the same rows are in the window.
        names.insert("Edith", at: 3)  // Prints "["Edith", "Grace", "Katherine"]"
        print(nearby.observableStart.value)  // Prints "3"
        connection.disconnect()
        #expect(log.entries == [#"["Edith", "Grace", "Katherine"]"#, "3"])
    }

    @Test("The article on large lists: a new order shows its first rows at once")
    func largeList() {
        let files = ArrayVariable((0..<10_000).map { "\($0 * 7 % 10_000)" })
        let isDescending = Variable(false)
        let search = Variable("1")
        let found =
            files
            .sorted(by: isDescending.map { isDescending in { isDescending ? $0 > $1 : $0 < $1 } })
            .filter(
                by: search.observable,
                narrowing: { longer, shorter in longer.hasPrefix(shorter) },
                matches: { search, file in file.hasPrefix(search) })
        let screen = found.window(0..<3)
        let connection = screen.connect { _ in print(screen.value) }
        isDescending.value = true  // Prints "["1999", "1998", "1997"]"
        search.value = "12"  // Prints "["1299", "1298", "1297"]"

        let scheduler = ObservableScheduler.current
        while scheduler.performDeferredWork(budget: 1_000) {
            // Here, a program looks whether there is something better to do.
        }
        print(scheduler.hasDeferredWork)  // Prints "false"
        connection.disconnect()
        #expect(
            log.entries == [
                #"["1999", "1998", "1997"]"#, #"["1299", "1298", "1297"]"#, "false",
            ])
    }

    @Test("The article on large lists: an extent has the position of a change")
    func extents() {
        let rows: ArrayVariable<String> = ["a", "b", "c", "d"]
        let connection = rows.extents.connect { extent in
            print("all but \(extent.prefix) at the start and \(extent.suffix) at the end")
        }
        rows.replaceSubrange(1..<2, with: ["x", "y"])
        // Prints "all but 1 at the start and 2 at the end"
        connection.disconnect()
        #expect(log.entries == ["all but 1 at the start and 2 at the end"])
    }

    @Test("The article on dictionaries: one key, the keys, and all edits")
    func dictionaries() {
        let ages: DictionaryVariable<String, Int> = ["Ada": 36, "Grace": 85]
        let ada = ages.observable(forKey: "Ada")
        let names = ages.keys.sorted()
        let connections = [
            ada.connect { print($0.new.map { "Ada is \($0)" } ?? "Ada is gone") },
            names.connect { _ in print(names.value) },
        ]
        ages["Ada"] = 37  // Prints "Ada is 37"
        ages["Barbara"] = 57  // Prints "["Ada", "Barbara", "Grace"]"
        ages["Ada"] = nil  // Prints "Ada is gone", then "["Barbara", "Grace"]"
        for connection in connections { connection.disconnect() }

        let connection = ages.connect { change in
            for (name, edit) in change.edits {
                switch edit {
                case .insert(let age): print("\(name) comes, who is \(age)")
                case .remove(let age): print("\(name) goes, who was \(age)")
                case .replace(let old, with: let new): print("\(name) was \(old) and is \(new)")
                }
            }
        }
        transaction {
            ages["Grace"] = 86
            ages["Grace"] = 87
        }  // Prints "Grace was 85 and is 87"
        connection.disconnect()
        #expect(
            log.entries == [
                "Ada is 37", #"["Ada", "Barbara", "Grace"]"#, "Ada is gone",
                #"["Barbara", "Grace"]"#, "Grace was 85 and is 87",
            ])
    }

    @Test("The article on dictionaries: groups")
    func groups() {
        let words: SetVariable<String> = ["apple", "fig", "pear"]
        let byLength = words.grouped { $0.count }
        let lengths = byLength.keys.sorted()
        let fours = byLength[4] ?? .constant([])
        let connections = [
            lengths.connect { _ in print("lengths \(lengths.value)") },
            fours.connect { _ in print("of four \(fours.value.sorted())") },
        ]
        words.insert("plum")  // Prints "of four ["pear", "plum"]"
        words.insert("banana")  // Prints "lengths [3, 4, 5, 6]"
        words.removeAll()  // Prints "lengths []", then "of four []"
        for connection in connections { connection.disconnect() }
        #expect(
            log.entries == [
                #"of four ["pear", "plum"]"#, "lengths [3, 4, 5, 6]", "lengths []", "of four []",
            ])
    }
}
