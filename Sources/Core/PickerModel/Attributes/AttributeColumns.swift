/// The values of attributes, by rows of a `DocumentTable`.
///
/// There is a column for each attribute that somebody uses, of eight bytes and a bit for each row, and none for others. A
/// new version of a row has the values of the one before; a new document has none. Besides, each group of attributes that
/// are read together has a bit for each row: whether it has been read as the file is now.
///
/// Invariant: in no column a row has a value that is not current or readable in the table.
package final class AttributeColumns {
    /// The values of one attribute.
    final class Column {
        let attribute: Attribute
        /// The number of a text, or a number that sorts like the value.
        fileprivate(set) var words = PackedColumn<UInt64>()
        /// The rows that have a value.
        fileprivate(set) var known = RowBitset()

        fileprivate init(_ attribute: Attribute) {
            self.attribute = attribute
        }
    }

    /// By the attribute's number.
    private var byNumber: [Column?] = []
    /// Those that there are.
    private(set) var all: [Column] = []
    private var groups: [ReadRows] = []
    private var followed: [FollowedRows] = []
    /// The rows of items of sources: nothing is read for them, as all their values are given.
    private(set) var given = RowBitset()
    private(set) var texts: AttributeTexts
    private var rows = 0

    init(texts: AttributeTexts = AttributeTexts()) {
        self.texts = texts
    }

    var isEmpty: Bool {
        all.isEmpty && groups.isEmpty && followed.isEmpty && given.isEmpty
    }

    func column(of attribute: Attribute) -> Column? {
        let number = Int(attribute.number)
        return number < byNumber.count ? byNumber[number] : nil
    }

    // MARK: Columns

    /// Adds a column without values, unless there is one, for rows below `bound`.
    /// - Throws: `DocumentTableError.outOfMemory`.
    func begin(_ attribute: Attribute, bound: Int) throws(DocumentTableError) {
        if column(of: attribute) != nil { return }
        let column = Column(attribute)
        guard column.words.reserve(max(bound, rows)) else { throw .outOfMemory }
        column.words.resize(to: max(bound, rows))
        column.known.grow(to: max(bound, rows))
        while byNumber.count <= Int(attribute.number) { byNumber.append(nil) }
        byNumber[Int(attribute.number)] = column
        all.append(column)
        rows = max(bound, rows)
    }

    /// Removes a column. Nobody must compare rows by it any more. If it is the last one of texts, their memory is given back
    /// by `discardTexts`.
    func end(_ attribute: Attribute) {
        guard let column = column(of: attribute) else { return }
        byNumber[Int(attribute.number)] = nil
        all.removeAll { $0 === column }
        if !all.contains(where: { $0.attribute.kind == .text }) { texts.removeAll() }
    }

    /// Gives some memory of removed texts back.
    /// - Returns: whether none are left.
    func discardTexts() -> Bool { texts.discardSome() }

    /// Adds the rows that a group of attributes has read.
    func add(_ group: ReadRows, bound: Int) {
        group.rows.grow(to: max(bound, rows))
        if group.includesGiven {
            group.given = given
            group.rows.formUnion(given)
        }
        groups.append(group)
    }

    func remove(_ group: ReadRows) { groups.removeAll { $0 === group } }

    /// Adds rows that are followed.
    func add(_ rows: FollowedRows) { followed.append(rows) }

    func remove(_ rows: FollowedRows) { followed.removeAll { $0 === rows } }

    // MARK: Rows

    /// Makes room for rows below a bound.
    /// - Returns: false, without effect on rows, if the system has no memory.
    func grow(to bound: Int) -> Bool {
        if bound <= rows { return true }
        for column in all {
            guard column.words.reserve(bound) else { return false }
        }
        for column in all {
            column.words.resize(to: bound)
            column.known.grow(to: bound)
        }
        for group in groups { group.rows.grow(to: bound) }
        rows = bound
        return true
    }

    /// A row is that of a new document.
    func clear(_ row: Int) {
        if given.remove(row) {
            for group in groups where group.includesGiven { group.given.remove(row) }
        }
        for column in all { column.known.remove(row) }
        for group in groups { group.rows.remove(row) }
        for each in followed { each.rows.remove(row) }
    }

    /// A row has the values of another.
    func copy(_ old: Int, to new: Int) {
        for column in all where column.known.contains(old) {
            column.words[new] = column.words[old]
            column.known.insert(new)
        }
        for group in groups where group.rows.contains(old) { group.rows.insert(new) }
        for each in followed where each.rows.contains(old) {
            each.rows.grow(to: rows)
            each.rows.insert(new)
        }
        if given.contains(old) { give(new) }
    }

    /// A row is that of an item of a source.
    func give(_ row: Int) {
        given.grow(to: max(row + 1, rows))
        given.insert(row)
        for group in groups where group.includesGiven {
            group.given.grow(to: max(row + 1, rows))
            group.given.insert(row)
            group.rows.grow(to: row + 1)
            group.rows.insert(row)
        }
    }

    /// The file of a row has changed since it was read.
    func forgetReading(of row: Int) {
        if given.contains(row) { return }
        for group in groups { group.rows.remove(row) }
    }

    /// Gives a row a value, or none.
    func set(_ attribute: Attribute, _ word: UInt64?, of row: Int) {
        guard let column = column(of: attribute) else { return }
        guard let word else {
            column.known.remove(row)
            return
        }
        column.words[row] = word
        column.known.insert(row)
    }

    /// What a column stores for a value, or nil if it is of another kind, or a text for which there is no room.
    func stored(_ value: AttributeValue, of attribute: Attribute) -> UInt64? {
        guard value.kind == attribute.kind else { return nil }
        guard case .text(let text) = value else { return value.word }
        return texts.number(of: text).map { UInt64($0) }
    }

    /// What is stored for a row; nil if its value is unknown.
    @inline(__always)
    func stored(_ attribute: Attribute, of row: Int) -> UInt64? {
        guard let column = column(of: attribute), column.known.contains(row) else { return nil }
        return column.words[row]
    }

    func value(_ attribute: Attribute, of row: Int) -> AttributeValue? {
        guard let word = stored(attribute, of: row) else { return nil }
        return attribute.kind == .text
            ? .text(texts[word].text) : AttributeValue(word: word, attribute.kind)
    }

    /// All values of a row.
    func values(of row: Int) -> [Attribute: AttributeValue] {
        var values: [Attribute: AttributeValue] = [:]
        for column in all { values[column.attribute] = value(column.attribute, of: row) }
        return values
    }

    func hasValues(_ row: Int) -> Bool { all.contains { $0.known.contains(row) } }

    func areEqual(_ left: Int, _ right: Int) -> Bool {
        all.allSatisfy { column in
            let isKnown = column.known.contains(left)
            guard column.known.contains(right) == isKnown else { return false }
            return !isKnown || column.words[left] == column.words[right]
        }
    }

    // MARK: Orders

    /// Negative, zero or positive if the first row comes before, with or after the second. A row without a value comes
    /// after all others, in both directions.
    func compare(
        _ left: Int, _ right: Int, by attribute: Attribute, isReversed: Bool
    ) -> Int {
        let one = stored(attribute, of: left)
        let other = stored(attribute, of: right)
        guard let one, let other else {
            return one == nil ? (other == nil ? 0 : 1) : -1
        }
        if one == other { return 0 }
        let order =
            if attribute.kind == .text {
                texts[one].folded.compareKey(texts[other].folded)
            } else {
                one < other ? -1 : 1
            }
        return isReversed ? -order : order
    }

    /// A number that is less for a row that comes before; of rows that have the same, `compare` tells.
    @inline(__always)
    func sortWord(of row: Int, by attribute: Attribute, isReversed: Bool) -> UInt64 {
        guard let word = stored(attribute, of: row) else { return .max }
        let sortable = attribute.kind == .text ? texts[word].folded.keyPrefix : word
        return isReversed ? ~sortable : sortable
    }
}

/// The rows that have been read for a group of attributes, as their files are now.
package final class ReadRows {
    package internal(set) var rows = RowBitset()
    /// Those for which nothing is ever read.
    var given = RowBitset()
    /// Whether those are among them at all times.
    let includesGiven: Bool

    package init(includesGiven: Bool = true) { self.includesGiven = includesGiven }

    /// Notes that a row has been read.
    package func insert(_ row: DocumentRow) {
        rows.grow(to: row.index + 1)
        rows.insert(row.index)
    }

    package func remove(_ row: DocumentRow) { rows.remove(row.index) }

    package func contains(_ row: DocumentRow) -> Bool { rows.contains(row.index) }
}
