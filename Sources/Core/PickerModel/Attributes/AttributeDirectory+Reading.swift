// What those who read files for attributes do with the table of documents.

extension AttributeDirectory {
    /// Keeps which rows have been read, as their files are, while the rows change; none to begin with, but items of
    /// sources if it includes those.
    package func beginReading(includesGiven: Bool = true) -> ReadRows {
        let rows = ReadRows(includesGiven: includesGiven)
        table.attributes.add(rows, bound: table.rowEnd)
        return rows
    }

    package func endReading(_ rows: ReadRows) { table.attributes.remove(rows) }

    /// Begins to follow documents through their versions, none to begin with.
    package func beginFollowing() -> FollowedRows {
        let rows = FollowedRows()
        table.attributes.add(rows)
        return rows
    }

    package func endFollowing(_ rows: FollowedRows) { table.attributes.remove(rows) }

    /// The rows of followed documents, as they are now, as bits.
    /// - Complexity: O(n / 64), as for all that follow.
    package func rows(of followed: FollowedRows) -> RowBitset {
        var rows = followed.rows
        rows.formIntersection(table.current)
        return rows
    }

    /// The number of followed documents that have not been read.
    package func unreadCount(of followed: FollowedRows, _ read: ReadRows) -> Int {
        var count = 0
        for index in followed.rows.words.indices {
            count += unread(index, of: followed, read).nonzeroBitCount
        }
        return count
    }

    /// Some followed documents that have not been read.
    package func unread(
        of followed: FollowedRows, _ read: ReadRows, atMost limit: Int
    ) -> [DocumentRow] {
        var rows: [DocumentRow] = []
        for index in followed.rows.words.indices where rows.count < limit {
            var rest = unread(index, of: followed, read)
            while rest != 0, rows.count < limit {
                rows.append(
                    DocumentRow(index * RowBitset.bitsPerWord + rest.trailingZeroBitCount))
                rest &= rest - 1
            }
        }
        return rows
    }

    /// Those of a word of 64 rows.
    private func unread(_ index: Int, of followed: FollowedRows, _ read: ReadRows) -> UInt64 {
        followed.rows[word: index] & table.current[word: index] & ~read.rows[word: index]
    }

    /// Whether a row has a value of one of these attributes.
    package func hasValue(_ attributes: [Attribute], _ row: DocumentRow) -> Bool {
        attributes.contains { table.attributes.stored($0, of: row.index) != nil }
    }

    /// The number of current documents of which an attribute is known.
    /// - Complexity: O(n / 64).
    package func knownCount(of attribute: Attribute) -> Int {
        guard let column = table.attributes.column(of: attribute) else { return 0 }
        var count = 0
        for index in column.known.words.indices {
            count += (column.known[word: index] & table.current[word: index]).nonzeroBitCount
        }
        return count
    }
}

extension ReadRows {
    /// Rows have been read no more unless they are in `other`, but for those for which nothing is read.
    package func removeAll(but other: ReadRows) {
        rows.formIntersection(other.rows)
        rows.formUnion(given)
    }

    /// All rows have been read no more, but for those for which nothing is read.
    package func removeAll() {
        rows.removeAll()
        rows.formUnion(given)
    }

    /// The number of rows of a set that have not been read.
    /// - Complexity: O(n / 64).
    package func unreadCount(in rows: RowBitset) -> Int {
        var count = 0
        for index in rows.words.indices {
            count += (rows[word: index] & ~self.rows[word: index]).nonzeroBitCount
        }
        return count
    }

    /// The number of rows of a set that have been read.
    package func readCount(in rows: RowBitset) -> Int {
        var count = 0
        for index in rows.words.indices {
            count += (rows[word: index] & self.rows[word: index]).nonzeroBitCount
        }
        return count
    }

    /// Calls `body` with rows of a set that have not been read, from `place` on, until it returns false, or for so many
    /// words of 64 rows.
    /// - Returns: where to go on; nil at the end of the set.
    package func forEachUnread(
        in rows: RowBitset, from place: Int, words: Int, _ body: (DocumentRow) -> Bool
    ) -> Int? {
        var index = place
        let end = min(rows.words.count, place + words)
        while index < end {
            var rest = rows[word: index] & ~self.rows[word: index]
            while rest != 0 {
                let row = DocumentRow(index * RowBitset.bitsPerWord + rest.trailingZeroBitCount)
                // The rest of the word is met again.
                if !body(row) { return index }
                rest &= rest - 1
            }
            index += 1
        }
        return index < rows.words.count ? index : nil
    }
}
