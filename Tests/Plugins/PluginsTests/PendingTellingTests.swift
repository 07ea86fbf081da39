// How many documents are still to be read: what a client is told of it.

import Testing

@testable import ItemsPlugin
@testable import PickerModel

@Suite struct PendingTellingTests {
    private let width = Attribute(number: 0, kind: .integer)
    private let words = Attribute(number: 1, kind: .integer)

    @Test("a client is told of each number once, and of the end")
    func once() {
        var telling = PendingTelling()
        #expect(telling.news([width: 7]) == [width: 7])
        #expect(telling.news([width: 7]) == nil)
        #expect(telling.news([width: 3]) == [width: 3])
        #expect(telling.news([width: 0]) == [width: 0])
        #expect(telling.news([width: 0]) == nil)
    }

    @Test("of documents that have been read already nothing is told")
    func nothing() {
        var telling = PendingTelling()
        #expect(telling.news(nil) == nil && telling.news([:]) == nil)
        #expect(telling.news([width: 0, words: 0]) == nil)
        #expect(telling.news([width: 0, words: 2]) == [width: 0, words: 2])
    }

    @Test("what is not known yet changes nothing of what was told")
    func unknown() {
        var telling = PendingTelling()
        #expect(telling.news([width: 7]) == [width: 7])
        #expect(telling.news(nil) == nil)
        #expect(telling.news([width: 7]) == nil)
    }

    @Test("an attribute that is needed no more has nothing to be read")
    func needless() {
        var telling = PendingTelling()
        #expect(telling.news([width: 7]) == [width: 7])
        #expect(telling.news([words: 5]) == [width: 0, words: 5])
        #expect(telling.news([words: 5]) == nil)
        #expect(telling.news([:]) == [words: 0])
        #expect(telling.news([:]) == nil)
    }

    @Test("the numbers that a client knows are those that are to be read, after random changes")
    func random() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var telling = PendingTelling()
            var client: [Attribute: Int] = [:]
            for _ in 0..<20 {
                var pending: [Attribute: Int] = [:]
                for attribute in [width, words] where Bool.random(using: &generator) {
                    pending[attribute] = Int.random(in: 0...2, using: &generator)
                }
                client.merge(telling.news(pending) ?? [:]) { $1 }
                for attribute in [width, words] {
                    #expect(client[attribute] ?? 0 == pending[attribute] ?? 0)
                }
            }
        }
    }
}
