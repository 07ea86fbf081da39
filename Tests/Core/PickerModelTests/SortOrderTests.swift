import PickerModel
import Testing

@Suite struct SortOrderTests {
    private func sorted(_ names: [String], by order: SortOrder = .name) -> [String] {
        names.enumerated().map { Document($1, key: "f\($0)") }.sorted(by: order.comparator)
            .map(\.path.text)
    }

    @Test("names are sorted without case and accents, numbers by value")
    func names() {
        #expect(
            sorted(["a10", "A2", "a1", "b", "Ä3", "á", "a", "B1", "a-1", "a02x", "a 1"])
                == ["á", "a", "a 1", "a-1", "a1", "A2", "a02x", "Ä3", "a10", "b", "B1"])
        let large = [
            "n" + String(repeating: "9", count: 40), "n1" + String(repeating: "0", count: 40),
        ]
        #expect(sorted(large.reversed()) == large)
        #expect(
            sorted(["x9.txt", "x10.txt", "x9a.txt", "x009.txt", "x0.txt", "x.txt"])
                == ["x.txt", "x0.txt", "x9.txt", "x009.txt", "x9a.txt", "x10.txt"])
        #expect(
            sorted(["straße 2", "strasse 1", "Strasse 3"]) == [
                "strasse 1", "straße 2", "Strasse 3",
            ])
        #expect(sorted(["ごみ", "こめ", "かみ", "がみ"]) == ["かみ", "がみ", "こめ", "ごみ"])
        #expect(sorted(["٣", "10", "2"]) == ["2", "٣", "10"])
    }

    @Test("numbers, even long ones, are sorted by value, whatever surrounds them")
    func numbers() {
        let seed = SeededNumbers.seed()
        var random = SeededNumbers(seed: seed)
        for _ in 0..<3000 {
            let left =
                UInt64.random(in: 0...UInt64.max, using: &random)
                >> UInt64.random(in: 0...63, using: &random)
            let right =
                UInt64.random(in: 0...UInt64.max, using: &random)
                >> UInt64.random(in: 0...63, using: &random)
            let zeros = String(repeating: "0", count: Int.random(in: 0...3, using: &random))
            let first = Document("v\(zeros)\(left) x", key: "a")
            let second = Document("v\(right) x", key: "b")
            let order = SortOrder.name.compare(first, second)
            #expect((order < 0) == (left <= right), "seed \(seed): \(first) \(second)")
        }
    }

    @Test("each order is total, and equal by either comparison")
    func total() throws {
        let seed = SeededNumbers.seed()
        var texts = SeededTexts(seed: seed)
        let documents = (0..<60).map { index in
            Document(
                ["a", "A", "á", "b1", "b01", texts.name()].randomElement(using: &texts.random)
                    ?? "",
                key: "f" + String(index, radix: 36), size: UInt64(index % 3),
                seconds: Int64(index % 2))
        }
        for keys in [
            ["name"], ["-name"], ["size", "-modified"], ["type"], ["-path"], ["modified"],
        ] {
            let order = try SortOrder(keys: keys)
            let before = order.comparator
            for left in documents {
                for right in documents {
                    let isBefore = before(left, right)
                    #expect(isBefore == (order.compare(left, right) < 0))
                    #expect(isBefore != before(right, left) || left.key == right.key)
                    for third in documents.prefix(12) where isBefore && before(right, third) {
                        #expect(before(left, third), "seed \(seed): \(keys)")
                    }
                }
            }
        }
    }

    @Test("the first key decides, a minus reverses it, ties are sorted by ascending key")
    func keys() throws {
        let documents = [
            Document("b", key: "f10", size: 1, seconds: 5),
            Document("a", key: "f2", size: 1, seconds: 5),
            Document("a", key: "f1", size: 2, seconds: 4),
            Document("c.md", key: "f3", size: 0, seconds: 9),
        ]
        func keys(_ names: [String]) throws -> [String] {
            documents.sorted(by: try SortOrder(keys: names).comparator).map(\.key)
        }
        #expect(try keys(["name"]) == ["f1", "f2", "f10", "f3"])
        #expect(try keys(["-name"]) == ["f3", "f10", "f1", "f2"])
        #expect(try keys(["size"]) == ["f3", "f10", "f2", "f1"])
        #expect(try keys(["-size", "name"]) == ["f1", "f2", "f10", "f3"])
        #expect(try keys(["type", "-modified"]) == ["f10", "f2", "f1", "f3"])
        #expect(try keys(["path"]) == ["f1", "f2", "f10", "f3"])
        #expect(
            documents.sorted(by: SortOrder.date.comparator).map(\.key) == ["f3", "f2", "f10", "f1"])
    }

    @Test("orders that sort alike are equal")
    func equality() throws {
        #expect(try SortOrder(keys: ["name"]) == SortOrder(keys: ["name"]))
        #expect(try SortOrder(keys: ["date"]) == SortOrder(keys: ["-modified", "name"]))
        #expect(
            try SortOrder(keys: ["size", "name", "-size", "name"])
                == SortOrder(keys: ["size", "name"]))
        #expect(try SortOrder(keys: ["size"]) != SortOrder(keys: ["-size"]))
        #expect(try SortOrder(keys: ["date"]).keys == ["-modified", "name"])
        #expect(try SortOrder(keys: ["-size"]).keys == ["-size"])
        #expect(try SortOrder(keys: ["-liked", "date"]).keys == ["-liked", "-modified", "name"])
        #expect(try SortOrder(keys: ["date", "size"]).keys == ["-modified", "size"])
        #expect(try SortOrder(keys: ["-date"]).keys == ["modified", "name"])
        #expect(try SortOrder(keys: ["-date", "date", "modified"]).keys == ["modified"])
    }

    @Test("invalid orders are refused with the invalid key and the valid ones")
    func errors() throws {
        func error(_ keys: [String]) -> PickerModelError? {
            do throws(PickerModelError) {
                _ = try SortOrder(keys: keys)
                return nil
            } catch { return error }
        }
        #expect(error([]) == .emptySortOrder)
        #expect(error(["name", "sise"]) == .unknownSortKey("sise", index: 1))
        for wrong in ["", "-", "--name", "Name", " name", "-\u{301}name", "--date"] {
            #expect(error([wrong]) == .unknownSortKey(wrong, index: 0))
        }
        let message = try #require(error(["sise"])).description
        #expect(message.contains("'sise'"))
        #expect(message.contains("'size'"))
        let long = try #require(error([String(repeating: "x", count: 5000)])).description
        #expect(long.count < 300)
    }
}
