import PickerModel
import TestSupport
import Testing

@Suite struct DocumentFilterTests {
    private func document(_ path: String, size: UInt64 = 5, seconds: Int64 = 10) -> Document {
        Document(
            key: "f0", root: "/r", path: FileName(path), size: size,
            modified: FileTime(seconds: seconds, nanoseconds: 500_000_000))
    }

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test("a compiled filter keeps the documents that match the tree")
    func compiled() throws {
        try withSeed { random in
            var kept = 0
            for _ in 0..<4000 {
                let expression = try RandomFilters.expression(&random)
                let filter = DocumentFilter(expression)
                for _ in 0..<4 {
                    let document = RandomFilters.document(&random)
                    let wanted = expression.holds(document)
                    if wanted { kept += 1 }
                    #expect(
                        filter.matches(document) == wanted,
                        "\(expression) \(document): seed \(random.seed)")
                }
            }
            #expect(kept > 2000)
        }
    }

    @Test(
        "media types are those of names; all of a kind are named by a star, and unknown ones are none"
    )
    func types() throws {
        func kept(_ types: [String]) -> [String] {
            let filter = DocumentFilter(.type(MediaTypeSet(types)))
            return ["a.png", "b.PNG", "c.jpg", "d.txt", "e.tar.gz", "png", ".png"].filter {
                filter.matches(document($0))
            }
        }
        #expect(kept(["image/png"]) == ["a.png", "b.PNG", ".png"])
        #expect(kept(["IMAGE/PNG", "text/plain"]) == ["a.png", "b.PNG", "d.txt", ".png"])
        #expect(kept(["image/*"]) == ["a.png", "b.PNG", "c.jpg", ".png"])
        #expect(kept(["image/no-such", "no/such", "*/*", "image/"]) == [])
        #expect(kept([]) == [])
        #expect(kept(["application/octet-stream"]) == ["png"])
        for text in ["image/png", "image/*", "application/vnd.oasis.opendocument.text"] {
            #expect(MediaTypeSet.isType(text))
        }
        let wrong = [
            "", "f", "png", "/", "image/", "/png", "*/*", "image/png/x", "image/p g", "imäge/x",
        ]
        for text in wrong {
            #expect(!MediaTypeSet.isType(text), "\(text)")
        }
    }

    @Test("suffixes follow a dot, and case is ignored")
    func suffix() {
        let filter = DocumentFilter(.suffix([bytes("md"), bytes("tar.gz")]))
        for name in ["a.md", "x/A.MD", "a.b.Md", "b.tar.gz", ".md"] {
            #expect(filter.matches(document(name)), "\(name)")
        }
        for name in ["md", "a.mdx", "a.gz", "amd", "md/a"] {
            #expect(!filter.matches(document(name)), "\(name)")
        }
    }

    @Test("numbers compare up to their limits, times with their fraction")
    func numbers() {
        func keeps(_ expression: FilterExpression, size: UInt64 = 5) -> Bool {
            DocumentFilter(expression).matches(document("a", size: size))
        }
        #expect(keeps(.size(.greater, 4)) && !keeps(.size(.greater, 5)))
        #expect(keeps(.size(.atMost, 5)) && !keeps(.size(.less, 5)))
        #expect(keeps(.size(.equal, .max), size: .max) && !keeps(.size(.greater, .max), size: .max))
        #expect(keeps(.modified(.equal, 10.5)) && keeps(.modified(.greater, 10.25)))
        #expect(!keeps(.modified(.atLeast, 10.75)) && keeps(.modified(.notEqual, 10)))
    }

    @Test("without conditions, `all` is true and `any` is false")
    func none() {
        #expect(DocumentFilter(.all([])).matches(document("a")))
        #expect(!DocumentFilter(.any([])).matches(document("a")))
        #expect(!DocumentFilter(.not(.everything)).matches(document("a")))
    }

    @Test("filters are equal if their expressions are, and canonically equivalent texts differ")
    func equality() {
        let filter = DocumentFilter(.name([bytes("é")]))
        #expect(filter == DocumentFilter(.name([bytes("é")])))
        #expect(filter.hashValue == DocumentFilter(.name([bytes("é")])).hashValue)
        #expect(filter != DocumentFilter(.name([bytes("e\u{301}")])))
    }

    @Test("a filter with all conditions of another narrows it")
    func narrowing() throws {
        let liked = DocumentFilter(.liked)
        let both = DocumentFilter(.all([.size(.greater, 1), .all([.liked, .everything])]))
        #expect(both.narrows(liked) && both.narrows(nil) && both.narrows(both))
        #expect(!liked.narrows(both))
        #expect(!DocumentFilter(.any([.liked, .size(.greater, 1)])).narrows(liked))
        #expect(!DocumentFilter(.not(.liked)).narrows(liked))
    }

    @Test("a filter that claims to narrow another does")
    func randomNarrowing() throws {
        try withSeed { random in
            var said = 0
            for _ in 0..<3000 {
                let parts = try (0..<3).map { _ in try RandomFilters.expression(&random, depth: 3) }
                let one = DocumentFilter(.all(parts.filter { _ in Bool.random(using: &random) }))
                let other = DocumentFilter(.all(parts.filter { _ in Bool.random(using: &random) }))
                guard one.narrows(other) else { continue }
                said += 1
                for _ in 0..<5 {
                    let document = RandomFilters.document(&random)
                    if one.matches(document) {
                        #expect(other.matches(document), "seed \(random.seed)")
                    }
                }
            }
            #expect(said > 300)
        }
    }
}
