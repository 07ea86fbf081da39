internal import ListRequests
internal import PickerModel

/// The documents that somebody's list may keep, of those that may have the attributes of a group: they are found in slices,
/// and follow all changes.
final class ReadingSelection {
    struct Name: Hashable {
        let query: DocumentQuery
        let range: DocumentRange
    }

    let name: Name
    private let documents: DocumentStore
    private let surveys: SurveyQueue
    private var survey: DocumentSurvey
    private var ticket: SurveyTicket?
    /// Where the search for the next documents goes on; nil when all have been read or are being read.
    var place: Int? = 0
    private let whenKnown: () -> Void

    init(
        _ name: Name, of documents: DocumentStore, in surveys: SurveyQueue,
        whenKnown: @escaping () -> Void
    ) {
        self.name = name
        self.documents = documents
        self.surveys = surveys
        self.whenKnown = whenKnown
        survey = DocumentSurvey(of: documents, in: name.range, for: name.query)
        begin()
    }

    private func begin() {
        ticket = surveys.begin(survey) { [weak self] in
            guard let self else { return }
            place = 0
            whenKnown()
        }
    }

    /// Looks at a row again, and at those behind it.
    func rewind(to row: DocumentRow) {
        let word = row.index / RowBitset.bitsPerWord
        place = min(place ?? word, word)
    }

    /// The documents; nil while they are being found.
    var rows: RowBitset? {
        if !survey.isSound {
            survey = DocumentSurvey(of: documents, in: name.range, for: name.query)
            begin()
        }
        return survey.known
    }
}
