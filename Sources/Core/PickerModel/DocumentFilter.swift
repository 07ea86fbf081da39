// A filter expression, compiled once and then matched against each document.
//
// The tree is compiled into a sequence of steps. A step is one test, with the next step for each outcome, or
// the final answer: `allof`, `anyof` and `not` exist only as these targets. So matching a document needs no
// recursion and no memory, and at most one test per condition.

/// The filter of a list. Filters of equal expressions are equal.
package final class DocumentFilter: Sendable {
    private enum Test: Sendable {
        /// Ranges of `texts`.
        case suffix(Range<Int>)
        case name(Range<Int>)
        /// An index of `globs`.
        case glob(Int)
        case type(MediaTypeSet)
        case size(FilterExpression.Comparison, UInt64)
        case modified(FilterExpression.Comparison, Double)
        case liked
        case dropped
        case hidden
        case attribute(AttributeTest)
        case keys(DocumentKeys)
    }

    private struct Step: Sendable {
        let test: Test
        let ifTrue: Int
        let ifFalse: Int
    }

    /// The cost of accessing a name and starting a pattern, in comparisons.
    private static let globStartSteps = 8
    private static let yes = -1
    private static let no = -2

    package let expression: FilterExpression
    /// The range of the documents that it can keep.
    package let range: DocumentRange
    /// The approximate cost of matching one document, in comparisons: the length of each pattern plus a
    /// constant, and one for each other condition and each text.
    package let steps: Int
    /// Keys of which each document that it keeps has one: the fewest; nil for any key.
    let keys: DocumentKeys?
    private let conjuncts: Set<FilterExpression>
    private let tests: [Step]
    private let start: Int
    private let texts: [[UInt8]]
    private let globs: [Glob]

    /// - Complexity: O(n) in the size of the expression.
    package init(_ expression: FilterExpression) {
        var compiler = Compiler()
        start = compiler.add(expression, ifTrue: Self.yes, ifFalse: Self.no)
        self.expression = expression
        tests = compiler.steps
        steps = compiler.weight
        texts = compiler.texts
        globs = compiler.globs
        var conjuncts: Set<FilterExpression> = []
        expression.collectConjuncts(into: &conjuncts)
        self.conjuncts = conjuncts
        range = DocumentRange(of: expression, conjuncts)
        keys = conjuncts.compactMap { if case .keys(let keys) = $0 { keys } else { nil } }
            .min { $0.count < $1.count }
    }

    /// Whether the filter keeps a document.
    /// - Complexity: at most one test per condition; a glob takes O(pattern × text) at worst.
    package func matches(_ document: Document) -> Bool {
        var steps = 0
        return matches(document, steps: &steps)
    }

    /// The same for a row; adds the number of comparisons to `steps`.
    package func matches(
        _ row: DocumentRow, of table: DocumentTable, steps: inout Int
    ) -> Bool {
        matches(RowSubject(row: row, table: table), steps: &steps)
    }

    func matches(_ document: borrowing some FilterSubject, steps: inout Int) -> Bool {
        var place = start
        while place >= 0 {
            let step = tests[place]
            place = holds(step.test, document, &steps) ? step.ifTrue : step.ifFalse
        }
        return place == Self.yes
    }

    /// Whether `wider` is known to keep each document that this filter keeps: all its conditions are among
    /// those of this one. Nil keeps everything.
    package func narrows(_ wider: DocumentFilter?) -> Bool {
        guard let wider, wider !== self else { return true }
        return wider.conjuncts.isSubset(of: conjuncts)
    }

    // MARK: Tests

    private func holds(
        _ test: Test, _ document: borrowing some FilterSubject, _ steps: inout Int
    ) -> Bool {
        switch test {
        case .suffix(let places), .name(let places): steps += places.count
        case .glob, .hidden: steps += Self.globStartSteps
        case .attribute(let test): steps += test.steps
        case .keys: steps += DocumentKeys.steps
        default: steps += 1
        }
        return switch test {
        case .suffix(let places): document.withNameText { hasSuffix($0, places) }
        case .name(let places): document.withNameText { isEqual($0, places) }
        case .glob(let index): globs[index].matches(document, steps: &steps)
        case .type(let types): types.contains(document.type)
        case .size(let comparison, let size): comparison.holds(document.size, size)
        case .modified(let comparison, let seconds):
            comparison.holds(document.modified.secondsSince1970, seconds)
        case .liked: document.isLiked
        case .dropped: document.isDropped
        case .hidden: document.withPathText { Self.isHidden($0) }
        case .attribute(let test): document.holds(test)
        case .keys(let keys): document.hasKey(among: keys)
        }
    }

    private static func isHidden(_ path: borrowing Span<UInt8>) -> Bool {
        var isStart = true
        for index in path.indices {
            if isStart, path[index] == UInt8(ascii: ".") { return true }
            isStart = path[index] == UInt8(ascii: "/")
        }
        return false
    }

    private func hasSuffix(_ name: borrowing Span<UInt8>, _ places: Range<Int>) -> Bool {
        for place in places {
            let start = name.count - texts[place].count
            guard start > 0, name[start - 1] == UInt8(ascii: ".") else { continue }
            var index = 0
            while start + index < name.count,
                Self.lower(name[start + index]) == texts[place][index]
            {
                index += 1
            }
            if start + index == name.count { return true }
        }
        return false
    }

    private func isEqual(_ name: borrowing Span<UInt8>, _ places: Range<Int>) -> Bool {
        for place in places where texts[place].count == name.count {
            var index = 0
            while index < name.count, name[index] == texts[place][index] { index += 1 }
            if index == name.count { return true }
        }
        return false
    }

    private static func lower(_ byte: UInt8) -> UInt8 {
        0x41...0x5A ~= byte ? byte | 0x20 : byte
    }

    // MARK: Compiling

    private struct Compiler {
        var steps: [Step] = []
        var texts: [[UInt8]] = []
        var globs: [Glob] = []
        var weight = 0

        /// Adds the steps of an expression, which lead to one of two targets.
        /// - Returns: the first step.
        mutating func add(_ expression: FilterExpression, ifTrue: Int, ifFalse: Int) -> Int {
            switch expression {
            case .everything:
                return ifTrue
            case .all(let parts):
                return parts.reversed().reduce(ifTrue) { next, part in
                    add(part, ifTrue: next, ifFalse: ifFalse)
                }
            case .any(let parts):
                return parts.reversed().reduce(ifFalse) { next, part in
                    add(part, ifTrue: ifTrue, ifFalse: next)
                }
            case .not(let part):
                return add(part, ifTrue: ifFalse, ifFalse: ifTrue)
            case .suffix(let texts):
                return add(.suffix(add(texts)), ifTrue, ifFalse)
            case .name(let texts):
                return add(.name(add(texts)), ifTrue, ifFalse)
            case .glob(let glob):
                globs.append(glob)
                weight += DocumentFilter.globStartSteps + glob.pattern.utf8.count
                return add(.glob(globs.count - 1), ifTrue, ifFalse)
            case .type(let types):
                return add(.type(types), ifTrue, ifFalse)
            case .size(let comparison, let size):
                return add(.size(comparison, size), ifTrue, ifFalse)
            case .modified(let comparison, let seconds):
                return add(.modified(comparison, seconds), ifTrue, ifFalse)
            case .liked:
                return add(.liked, ifTrue, ifFalse)
            case .dropped:
                return add(.dropped, ifTrue, ifFalse)
            case .hidden:
                return add(.hidden, ifTrue, ifFalse)
            case .attribute(let test):
                return add(.attribute(test), ifTrue, ifFalse)
            case .keys(let keys):
                return add(.keys(keys), ifTrue, ifFalse)
            }
        }

        private mutating func add(_ test: Test, _ ifTrue: Int, _ ifFalse: Int) -> Int {
            switch test {
            case .suffix(let places), .name(let places): weight += places.count
            case .glob: break
            case .hidden: weight += DocumentFilter.globStartSteps
            case .attribute(let test): weight += test.steps
            case .keys: weight += DocumentKeys.steps
            default: weight += 1
            }
            steps.append(Step(test: test, ifTrue: ifTrue, ifFalse: ifFalse))
            return steps.count - 1
        }

        private mutating func add(_ new: [[UInt8]]) -> Range<Int> {
            texts += new
            return (texts.count - new.count)..<texts.count
        }
    }
}

extension DocumentFilter: Hashable {
    package static func == (left: DocumentFilter, right: DocumentFilter) -> Bool {
        left === right || left.expression == right.expression
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(expression)
    }
}

/// What a filter reads of a document.
protocol FilterSubject {
    var size: UInt64 { get }
    var modified: FileTime { get }
    var isLiked: Bool { get }
    var isDropped: Bool { get }
    var type: MediaType { get }

    /// Whether its key is one of these.
    func hasKey(among keys: DocumentKeys) -> Bool
    /// Whether its value of an attribute meets a condition.
    func holds(_ test: AttributeTest) -> Bool
    /// What a column stores for its value of an attribute; nil if it has none.
    func stored(_ attribute: Attribute) -> UInt64?
    /// Calls `body` with the name in UTF-8.
    func withNameText<Value>(_ body: (borrowing Span<UInt8>) -> Value) -> Value
    /// Calls `body` with the path below the root in UTF-8.
    func withPathText<Value>(_ body: (borrowing Span<UInt8>) -> Value) -> Value
}

extension Document: FilterSubject {
    func hasKey(among keys: DocumentKeys) -> Bool { keys.contains(key) }

    func holds(_ test: AttributeTest) -> Bool { test.holds(attributes[test.attribute]) }

    /// 0 for a text.
    func stored(_ attribute: Attribute) -> UInt64? { attributes[attribute].map { $0.word ?? 0 } }

    func withNameText<Value>(_ body: (borrowing Span<UInt8>) -> Value) -> Value {
        body(name.text.utf8Span.span)
    }

    func withPathText<Value>(_ body: (borrowing Span<UInt8>) -> Value) -> Value {
        body(path.text.utf8Span.span)
    }
}

/// A document of the table.
struct RowSubject: FilterSubject {
    let row: DocumentRow
    let table: DocumentTable

    var size: UInt64 { table.size(of: row) }
    var modified: FileTime { table.modified(of: row) }
    var isLiked: Bool { table.isLiked(row) }
    var isDropped: Bool { table.isDropped(row) }
    var type: MediaType { table.type(of: row) }

    func hasKey(among keys: DocumentKeys) -> Bool {
        keys.contains(table.key(of: row), of: table)
    }

    func holds(_ test: AttributeTest) -> Bool { test.holds(row.index, in: table.attributes) }

    func stored(_ attribute: Attribute) -> UInt64? {
        table.attributes.stored(attribute, of: row.index)
    }

    func withNameText<Value>(_ body: (borrowing Span<UInt8>) -> Value) -> Value {
        table.withNameText(of: row, body)
    }

    func withPathText<Value>(_ body: (borrowing Span<UInt8>) -> Value) -> Value {
        table.withPathText(of: row, body)
    }
}
