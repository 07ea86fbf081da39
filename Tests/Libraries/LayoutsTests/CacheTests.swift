import Layouts
import Testing

@Suite struct CacheTests {
    @Test("A size is kept until it is measured again or its item is removed")
    func sizes() throws {
        var cache = SizeCache<String>()
        let small = Size(width: 10, height: 10)
        let new = try cache.measure([("a", small), ("b", small)])
        #expect(new == ["a", "b"])
        let same = try cache.measure([("a", Size(width: 10.4, height: 9.6))])
        #expect(same.isEmpty)
        #expect(cache["a"] == small)
        let taller = Size(width: 10, height: 10.5)
        let changed = try cache.measure([("b", small), ("a", taller), ("a", taller)])
        #expect(changed == ["a"])
        #expect(cache["a"] == taller)
        let gone = cache.remove("a")
        #expect(gone == taller)
        #expect(cache["a"] == nil)
        #expect(cache.count == 1)
    }

    @Test("More sizes than a cache holds are refused, and none is stored")
    func limit() throws {
        var cache = SizeCache<Int>()
        let all = (0..<1_000_000).map { (item: $0, size: Size.zero) }
        _ = try cache.measure(all)
        let size = Size(width: 5, height: 5)
        do {
            _ = try cache.measure([(0, size), (-1, .zero)])
            Issue.record("one too many was taken")
        } catch {
            #expect(error == .tooMany(count: 1_000_001, limit: 1_000_000))
        }
        #expect(cache[0] == .zero)
        let changed = try cache.measure([(0, size)])
        #expect(changed == [0])
    }

    @Test("Measured sizes cost two hashes each at most, and one when they are known")
    func hashes() throws {
        var cache = SizeCache<CountedKey>()
        cache.reserveCapacity(4000)
        let counter = HashCounter()
        func sizes(_ height: Double) -> [(item: CountedKey, size: Size)] {
            (0..<3000).map { (CountedKey(value: $0, counter), Size(width: 10, height: height)) }
        }
        for (height, most, new) in [(10.0, 6000, 3000), (10, 3000, 0), (20, 3000, 3000)] {
            counter.count = 0
            let changed = try cache.measureEach(sizes(height))
            #expect(changed == Array(0..<new))
            #expect((3000...most).contains(counter.count), "\(counter.count) hashes")
        }
        let twice = (item: CountedKey(value: 1, counter), size: Size(width: 1, height: 1))
        let other = (item: CountedKey(value: 2, counter), size: Size(width: 10, height: 20))
        let changed = try cache.measureEach([twice, other, twice])
        #expect(changed == [0])
    }

    @Test("A frame reports whether it differs from the old one, and is removed with its item")
    func frames() {
        var cache = FrameCache<String>()
        let frame = Rect(x: 1, y: 2, width: 3, height: 4)
        let told = [
            cache.place("a", at: frame), cache.place("a", at: frame), cache.place("a", at: .zero),
        ]
        #expect(told == [true, false, true])
        #expect(cache["a"] == .zero)
        let gone = [cache.remove("a"), cache.remove("a")]
        #expect(gone == [.zero, nil])
        cache.place("a", at: .zero)
        #expect(cache.count == 1)
    }
}

/// A key that counts how often it is hashed.
private struct CountedKey: Hashable {
    let value: Int
    private let counter: HashCounter

    init(value: Int, _ counter: HashCounter) {
        self.value = value
        self.counter = counter
    }

    static func == (one: CountedKey, other: CountedKey) -> Bool { one.value == other.value }

    func hash(into hasher: inout Hasher) {
        counter.count += 1
        hasher.combine(value)
    }
}

private final class HashCounter {
    var count = 0
}
