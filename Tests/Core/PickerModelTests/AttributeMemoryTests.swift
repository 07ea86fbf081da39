import Testing

@testable import PickerModel

@Suite("The memory of attributes")
struct AttributeMemoryTests {
    @Test("Four numbers of a million documents, and what has been read, take 40 MB at most")
    func columns() throws {
        let columns = AttributeColumns()
        let group = ReadRows()
        let attributes = (0..<4).map { Attribute(number: UInt16($0), kind: .integer) }
        columns.add(group, bound: 0)
        // Like documents, the rows come bit by bit.
        for bound in stride(from: 4096, through: 1_000_000, by: 4096) {
            #expect(columns.grow(to: bound))
        }
        for attribute in attributes { try columns.begin(attribute, bound: 1_000_000) }
        var bytes = group.rows.words.count * 8
        for attribute in attributes {
            let column = try #require(columns.column(of: attribute))
            for row in 0..<1_000_000 { columns.set(attribute, UInt64(row), of: row) }
            bytes += column.words.mappedBytes + column.known.words.count * 8
        }
        #expect(bytes > 32_000_000 && bytes <= 40_000_000, "\(bytes)")
    }
}
