import Observables
import Testing

@Suite struct DescriptionTests {
    @Test("Descriptions of changes have the operations and their positions")
    func changes() {
        #expect("\(ScalarChange(from: 1, to: 2))" == "1 -> 2")
        #expect("\(ScalarChange(from: "a", to: "b"))" == #""a" -> "b""#)
        var change = ArrayChange<String>(initialCount: 3)
        change.add(.insert("x", at: 0))
        change.add(.replace("b", at: 2, with: "y"))
        change.add(.replaceRange(["c"], at: 3, with: ["d", "e"]))
        #expect(
            "\(change)"
                == #"3 rows: insert "x" at 0, replace ["b", "c"] at 2 with ["y", "d", "e"]"#)
        #expect("\(ArrayChange<Int>(initialCount: 1))" == "1 row: no change")
        #expect("\(ArrayModification.remove(4, at: 2))" == "remove 4 at 2")
        #expect("\(SetChange(removed: [1], inserted: [3, 2]))" == "removed [1], inserted [2, 3]")
        #expect("\(SetChange<Int>())" == "no change")
        let edits = DictionaryChange(from: ["a": 1, "b": 1], to: ["b": 2, "c": 3])
        #expect(
            "\(edits)" == #""a": remove 1, "b": replace 1 with 2, "c": insert 3"#)
    }

    @Test("Descriptions of observables have their type and value")
    func observables() {
        let number = Variable(3)
        let names: ArrayVariable<String> = ["b", "a"]
        #expect("\(number)" == "Variable<Int>(3)")
        #expect("\(number.map { $0 + 1 })" == "Observable<Int>(4)")
        #expect("\(names)" == #"ArrayVariable<String>(["b", "a"])"#)
        #expect("\(names.sorted())" == #"ObservableArray<String>(["a", "b"])"#)
        #expect("\(SetVariable([7]))" == "SetVariable<Int>(Set([7]))")
        let entries: DictionaryVariable<String, Int> = ["k": 1]
        #expect("\(entries)" == #"DictionaryVariable<String, Int>(["k": 1])"#)
        let signal = Signal<Int>()
        #expect("\(signal)" == "Signal<Int>(not connected)")
    }

    @Test("Equivalent modifications are equal, and so are their changes")
    func equality() {
        let pairs: [(ArrayModification<Int>, ArrayModification<Int>)] = [
            (.insert(1, at: 2), .replaceRange([], at: 2, with: [1])),
            (.remove(1, at: 2), .replaceRange([1], at: 2, with: [])),
            (.replace(1, at: 2, with: 5), .replaceRange([1], at: 2, with: [5])),
        ]
        for (left, right) in pairs {
            #expect(left == right && right == left && left == left)
            #expect(
                ArrayChange(initialCount: 9, modification: left)
                    == ArrayChange(initialCount: 9, modification: right))
            #expect(left.shifted(by: 1) != right)
        }
        for (index, (left, _)) in pairs.enumerated() {
            for (other, (_, right)) in pairs.enumerated() where index != other {
                #expect(left != right)
            }
        }
    }

    @Test("A variable applies a change like an array, in one transaction")
    func apply() {
        let here: ArrayVariable<Int> = [1, 2, 3, 4]
        let there: ArrayVariable<Int> = [1, 2, 3, 4]
        var told = 0
        let connections = [
            here.connect { there.apply($0) },
            there.connect { _ in told += 1 },
        ]
        transaction {
            here.insert(0, at: 0)
            here.remove(at: 2)
            here.replaceSubrange(2..<4, with: [7, 8, 9])
        }
        #expect(there.value == [0, 1, 7, 8, 9] && there.value == here.value && told == 1)
        for connection in connections { connection.disconnect() }
    }
}
