internal import JSONText
internal import ListRequests
internal import PickerModel
internal import PluginInterface
internal import WireProtocol

/// Writes the rows of an answer in slices.
final class ItemsWriting: SlicedWork {
    private static let stepsPerRow = 200

    /// Its rows are those of one moment, however late.
    let mayEndLater = true
    private(set) var stepsTaken = 0
    /// Why there is no answer.
    private(set) var error: ProtocolError?
    private let shown: ShownRows
    private let documents: DocumentStore
    private let marking: Marking
    private let fields: ItemFields
    private let limit: AnswerLimit
    private var items = JSONWriter()
    private var next = 0

    init(
        _ shown: ShownRows, of documents: DocumentStore, _ marking: Marking,
        _ fields: ItemFields, _ limit: AnswerLimit
    ) {
        self.documents = documents
        self.shown = shown
        self.marking = marking
        self.fields = fields
        self.limit = limit
    }

    func advance(budget: Int) -> Bool {
        let rows = shown.rows
        var left = budget
        while next < rows.count, error == nil {
            if left <= 0 { return false }
            marking.record(of: rows[next], in: documents, fields: fields)
                .write(to: &items, fields: fields)
            if items.count > limit.bytes { error = limit.error }
            next += 1
            left -= Self.stepsPerRow
            stepsTaken += Self.stepsPerRow
        }
        return true
    }

    /// Writes the rows into an array, once all is done.
    func write(to writer: inout JSONWriter) { writer.splice(items) }
}
