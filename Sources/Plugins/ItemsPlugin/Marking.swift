internal import JSONText
internal import ListRequests
internal import PickerModel
internal import PluginInterface
internal import WireProtocol

/// Adds to items which parts of their names and folders the search has found, if the client wants that.
struct Marking: Equatable {
    private let search: DocumentSearch?
    private let unit: TextUnit
    /// The attributes of items; nil for all that are known.
    private let attributes: [Attribute]?

    init(_ request: ListRequest, for session: any ClientSession) {
        attributes = request.itemAttributes.map { $0.sorted { $0.number < $1.number } }
        search = request.highlights ? request.search : nil
        unit = TextUnit(rawValue: session.textUnits) ?? .utf8
    }

    /// A row as clients see it, with some of its fields.
    /// - Complexity: O(n) in the length of the path, times that of the search for a fuzzy one.
    func record(
        of row: ShownRow, in documents: DocumentStore, fields: ItemFields
    ) -> ItemRecord {
        let table = documents.table
        var record = ItemRecord(row, of: table, fields: fields)
        if fields.contains(.attributes), let row = row.item?.row {
            for attribute in attributes ?? documents.attributes.columns {
                guard let value = table.value(of: attribute, row) else { continue }
                record.attributes[documents.attributes.name(of: attribute)] = JSONValue(value)
            }
        }
        guard let search, let row = row.item?.row,
            !fields.isDisjoint(with: [.matches, .folderMatches])
        else { return record }
        let found = search.ranges(in: table.document(of: row), unit: unit) ?? MatchedRanges()
        if fields.contains(.matches) { record.matches = Self.ends(of: found.name) }
        // Most are found in their names alone.
        if fields.contains(.folderMatches), !found.folder.isEmpty {
            record.folderMatches = Self.ends(of: found.folder)
        }
        return record
    }

    private static func ends(of ranges: [Range<Int>]) -> [Int] {
        ranges.flatMap { [$0.lowerBound, $0.upperBound] }
    }
}
