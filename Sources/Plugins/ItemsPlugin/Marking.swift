internal import ListRequests
internal import PickerModel
internal import PluginInterface
internal import WireProtocol

/// Adds to items which parts of their names the search has found, if the client wants that.
struct Marking: Equatable {
    private let search: DocumentSearch?
    private let unit: TextUnit

    init(_ request: ListRequest, for session: any ClientSession) {
        search = request.highlights ? request.search : nil
        unit = TextUnit(rawValue: session.textUnits) ?? .utf8
    }

    /// The item as clients see it.
    /// - Complexity: O(n) in the length of the name, times that of the search for a fuzzy one.
    func record(of item: ItemContent) -> ItemRecord {
        var record = ItemRecord(item)
        guard let search, case .document(let document) = item else { return record }
        let found = search.ranges(in: document, unit: unit)?.name ?? []
        record.matches = found.flatMap { [$0.lowerBound, $0.upperBound] }
        return record
    }
}
