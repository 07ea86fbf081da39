import Observables
import Testing

// Each test is a snippet of the article "The talk, in today's Swift", word for word, with its
// output. DocumentationTests checks that they stay the same.

/// Collects the sent values, in order.
final class Log<Value> {
    var entries: [Value] = []
    func add(_ value: Value) { entries.append(value) }
}

@Suite struct TalkTests {
    private let log = Log<String>()

    /// Shadows the standard library's.
    private func print(_ item: Any) { log.add("\(item)") }

    // MARK: - Signals and scalars

    @Test("The talk's signal prints the sent value")
    func signal() {
        let s = Signal<Int>()
        let c = s.connect { print($0) }
        s.send(42)  // Prints "42"
        c.disconnect()
        s.send(43)
        #expect(log.entries == ["42"])
    }

    @Test("The talk's variable says goodbye to Fred")
    func variable() {
        let name = Variable<String>("Fred")
        let connection = name.changes.connect { c in print("Bye \(c.old), hi \(c.new)!") }
        name.value = "Barney"  // Prints "Bye Fred, hi Barney!"
        connection.disconnect()
        #expect(log.entries == ["Bye Fred, hi Barney!"])
    }

    @Test("The talk's map is loud")
    func map() {
        let quiet = Variable<String>("Fred")
        let loud = quiet.map { "\($0.uppercased())!!!" }

        print(loud.value)  // Prints "FRED!!!"
        let c = loud.connect { print($0.new) }
        quiet.value = "Barney"  // Prints "BARNEY!!!"
        c.disconnect()
        #expect(log.entries == ["FRED!!!", "BARNEY!!!"])
    }

    @Test("The talk's sum has the value of its parts")
    func sum() {
        let a = Variable<Int>(23)
        let b = Variable<Int>(42)

        let sum = a + b  // Type is Observable<Int>
        print(sum.value)  // Prints "65"
        a.value = 13
        print(sum.value)  // Prints "55"
        #expect(log.entries == ["65", "55"])
        #expect(type(of: sum) == Observable<Int>.self)
    }

    @Test("The talk's predicate is an expression of observables")
    func expressions() {
        let a = Variable<Int>(13)
        let b = Variable<Int>(42)
        let c = Variable<Int>(60)
        let predicate: Observable<Bool> = !(a > b && a + b < c)
        print(predicate.value)  // Prints "true"
        transaction {
            a.value = 31
            b.value = 28
        }
        print(predicate.value)  // Prints "false"
        #expect(log.entries == ["true", "false"])
    }

    @Test("A sum of a variable with itself goes from 0 to 2 and from 2 to 6")
    func sumWithItself() {
        let a = Variable<Int>(0)
        let sum = a + a
        let c = sum.connect { print("\($0.old) -> \($0.new)") }
        a.value = 1  // Prints "0 -> 2"
        a.value = 3  // Prints "2 -> 6"
        c.disconnect()
        #expect(log.entries == ["0 -> 2", "2 -> 6"])
    }

    // MARK: - Arrays and sets

    @Test("The talk's array changes consist of modifications and apply at once")
    func arrayChanges() {
        var change = ArrayChange<String>(initialCount: 3)
        change.add(.insert("Amet", at: 3))
        change.add(.remove("Lorem", at: 0))
        change.add(.replace("Sit", at: 1, with: "Elit"))

        var words = ["Lorem", "Dolor", "Sit"]
        change.apply(on: &words)
        print(words)  // Prints "["Dolor", "Elit", "Amet"]"
        change.reversed().apply(on: &words)
        print(words)  // Prints "["Lorem", "Dolor", "Sit"]"
        #expect(
            log.entries == [
                #"["Dolor", "Elit", "Amet"]"#, #"["Lorem", "Dolor", "Sit"]"#,
            ])
    }

    @Test("The talk's transformations of arrays follow them")
    func arrays() {
        let numbers: ArrayVariable<Int> = [1, 2, 3, 4]
        let divisor = Variable(2)
        let squares = numbers.map { $0 * $0 }
        let large = numbers.filtered(test: { $0 > 2 })
        let multiples = numbers.filtered(test: divisor.map { d in { $0 % d == 0 } })
        let all = large + multiples

        numbers.append(6)
        print(squares.value)  // Prints "[1, 4, 9, 16, 36]"
        print(all.value)  // Prints "[3, 4, 6, 2, 4, 6]"
        divisor.value = 3
        print(all.value)  // Prints "[3, 4, 6, 3, 6]"
        #expect(
            log.entries == ["[1, 4, 9, 16, 36]", "[3, 4, 6, 2, 4, 6]", "[3, 4, 6, 3, 6]"])
    }

    @Test("The talk's operations on sets filter and sort them")
    func sets() {
        let words: SetVariable<String> = ["pear", "fig", "apple"]
        let isShort = words.filtered { $0.count < 5 }
        let direction = Variable(true)
        let sorted = isShort.sorted(
            by: direction.map { isUp in { isUp ? $0 < $1 : $0 > $1 } })

        print(sorted.value)  // Prints "["fig", "pear"]"
        words.insert("kiwi")
        direction.value = false
        print(sorted.value)  // Prints "["pear", "kiwi", "fig"]"
        #expect(log.entries == [#"["fig", "pear"]"#, #"["pear", "kiwi", "fig"]"#])
    }

    // MARK: - Observables in elements

    final class Book {
        let title: Variable<String>
        init(_ title: String) { self.title = Variable(title) }
    }

    @Test("The talk's titles follow the books on the shelf, and put them in order")
    func titles() {
        let b1 = Book("Anathem")
        let b2 = Book("Cryptonomicon")
        let shelf: ArrayVariable<Book> = [b1, b2]

        let titles = shelf.selectEach { $0.title }  // Type is ObservableArray<String>
        let c = titles.changes.connect { _ in print(titles.value) }
        print(titles.value)  // Prints "["Anathem", "Cryptonomicon"]"
        b1.title.value = "Seveneves"  // Prints "["Seveneves", "Cryptonomicon"]"
        shelf.append(Book("Zodiac"))  // Prints "["Seveneves", "Cryptonomicon", "Zodiac"]"
        shelf.remove(at: 1)  // Prints "["Seveneves", "Zodiac"]"
        b2.title.value = "The Diamond Age"  // Prints nothing: the shelf has no such book.
        c.disconnect()
        #expect(
            log.entries == [
                #"["Anathem", "Cryptonomicon"]"#, #"["Seveneves", "Cryptonomicon"]"#,
                #"["Seveneves", "Cryptonomicon", "Zodiac"]"#, #"["Seveneves", "Zodiac"]"#,
            ])

        log.entries = []
        let books = shelf.sorted(using: { $0.title }, by: >)
        let ordered = books.selectEach { $0.title }
        print(ordered.value)  // Prints "["Zodiac", "Seveneves"]"
        b1.title.value = "Quicksilver"
        shelf.append(Book("Termination Shock"))
        print(ordered.value)  // Prints "["Zodiac", "Termination Shock", "Quicksilver"]"
        #expect(
            log.entries == [
                #"["Zodiac", "Seveneves"]"#,
                #"["Zodiac", "Termination Shock", "Quicksilver"]"#,
            ])
    }
}
