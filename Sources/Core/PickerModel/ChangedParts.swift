/// What one change does to the sets of documents.
struct ChangedParts {
    var listed = RowEdits()
    var dropped = RowEdits()
    /// The rows that come or go outside.
    var outside = 0
    var subsets: [(subset: DocumentSubset, edits: RowEdits)] = []

    var isEmpty: Bool { listed.isEmpty && dropped.isEmpty && outside == 0 }

    var rows: Int { listed.count + dropped.count + outside }

    /// The rows that come or go in a range.
    func edits(in range: DocumentRange) -> Int {
        if case .named = range.collections {
            return subsets.first { $0.subset.range == range }?.edits.count ?? 0
        }
        return switch range.part {
        case .listed: listed.count
        case .dropped: dropped.count
        case .all: listed.count + dropped.count
        }
    }
}
