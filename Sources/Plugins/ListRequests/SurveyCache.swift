package import PickerModel

/// The results of queries, shared by all lists that ask the same.
///
/// The results last as long as a list is made from them; those that were completed last are kept longer, up to date,
/// so that the next letter of a search only tests what the letters before have found, and a letter that is removed
/// finds its results. Kept results cost one test per changed document each, so while many documents change those are let
/// go for which nobody has asked since, and which nobody will need.
package final class SurveyCache {
    /// The number of results that are kept although nothing is made from them: more than most searches have letters.
    private static let keptCount = 16

    private struct Key: Hashable {
        let range: DocumentRange
        let query: DocumentQuery
    }

    private struct Weak {
        weak var survey: DocumentSurvey?
    }

    private let documents: DocumentStore
    private var known: [Key: Weak] = [:]
    /// Most recently used first.
    private var kept: [DocumentSurvey] = []
    /// Those of them for which somebody has asked since `meter` told last.
    private var asked: Set<ObjectIdentifier> = []
    private var meter: ChangeMeter?
    /// Whether the results of a query are needed as soon as the documents are quiet, though nobody has them now.
    package var isNeeded: (DocumentQuery, DocumentRange) -> Bool = { _, _ in false }

    package init(of documents: DocumentStore) {
        self.documents = documents
        meter = ChangeMeter(of: documents) { [unowned self] in removeUnasked() }
    }

    /// The number of results that are kept.
    package var count: Int { kept.count }

    private func removeUnasked() {
        kept.removeAll {
            !asked.contains(ObjectIdentifier($0)) && !isNeeded($0.query, $0.range)
        }
        asked = []
    }

    /// The results of a query, which may be incomplete: someone must advance them.
    package func survey(for query: DocumentQuery, in range: DocumentRange) -> DocumentSurvey {
        kept.removeAll { !$0.isSound }
        let key = Key(range: range, query: query)
        if let survey = known[key]?.survey, survey.isSound {
            keep(survey)
            return survey
        }
        known = known.filter { $0.value.survey != nil }
        let wider = known.values.compactMap(\.survey).filter {
            $0.range == range && $0.known != nil && query.narrows($0.query)
        }
        let survey = DocumentSurvey(
            of: documents, in: range, for: query,
            among: wider.min { $0.matches.count < $1.matches.count })
        known[key] = Weak(survey: survey)
        return survey
    }

    /// Keeps results that have been used, unless they are incomplete.
    package func keep(_ survey: DocumentSurvey) {
        guard survey.known != nil else { return }
        kept.removeAll { $0 === survey }
        kept.insert(survey, at: 0)
        asked.insert(ObjectIdentifier(survey))
        if kept.count > Self.keptCount { kept.removeLast() }
    }

    /// Lets go of all results.
    package func removeAll() {
        kept = []
        known = [:]
    }
}
