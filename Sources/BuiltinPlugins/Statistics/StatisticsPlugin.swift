internal import JSONText
internal import Observables
internal import PickerModel
package import PluginInterface
internal import WireProtocol

/// How many documents lists show, how large and from when: of all, or of those that a query selects.
///
/// What was asked for once is kept up to date from then on, since whoever asks tends to ask again: for all
/// documents until the daemon ends, for the few queries used last until others take their place. So
/// the first answer takes a pass over the documents, and each after that none.
package final class StatisticsPlugin: Plugin {
    package let identifier = "statistics"

    /// Those of all documents, from the first time that they were asked for.
    private var whole: KeptStatistics?
    private var recent = RecentStatistics()

    package init() {}

    package func activate(in context: PluginContext) throws(PluginError) {
        let documents = context.documents
        context.register(.documentsStats) { [unowned self] (call, writer) throws(ProtocolError) in
            // The query of a list. Its order and its window make no difference here, and are checked.
            let request = try ListRequest(reading: call.reader())
            let selection = Selection(search: request.search, filter: request.filter)
            let statistics = statistics(
                of: documents.documents(in: DocumentRange(of: request.filter)),
                selecting: selection)
            StatisticsRecord(statistics).write(to: &writer)
            return .answered
        }
    }

    package func deactivate() {
        whole = nil
        recent = RecentStatistics()
    }

    private func statistics(
        of documents: ObservableSet<Document>, selecting selection: Selection
    ) -> DocumentStatistics {
        if !selection.isEverything { return recent.statistics(of: documents, selecting: selection) }
        let kept = whole ?? KeptStatistics(of: documents, selecting: selection)
        whole = kept
        return kept.statistics.value
    }
}

/// Which documents count.
private struct Selection: Hashable {
    let search: NameSearch?
    let filter: DocumentFilter?

    var isEverything: Bool { search == nil && filter == nil }

    func matches(_ document: Document) -> Bool {
        if let search, !search.matches(document) { return false }
        return filter?.matches(document) ?? true
    }
}

/// Statistics that are kept up to date for as long as this is.
private struct KeptStatistics {
    let statistics: Observable<DocumentStatistics>
    private let connection: Connection

    init(of documents: ObservableSet<Document>, selecting selection: Selection) {
        statistics =
            selection.isEverything
            ? DocumentStatistics.observable(of: documents)
            : DocumentStatistics.observable(of: documents, counting: selection.matches)
        connection = statistics.connect { _ in }
    }
}

/// The statistics of a few queries, the last used first; the oldest go when there are too many.
private struct RecentStatistics {
    private static let limit = 4

    private var kept: [(selection: Selection, statistics: KeptStatistics)] = []

    mutating func statistics(
        of documents: ObservableSet<Document>, selecting selection: Selection
    ) -> DocumentStatistics {
        if let place = kept.firstIndex(where: { $0.selection == selection }) {
            kept.insert(kept.remove(at: place), at: 0)
        } else {
            kept.insert((selection, KeptStatistics(of: documents, selecting: selection)), at: 0)
            if kept.count > Self.limit { kept.removeLast() }
        }
        return kept[0].statistics.statistics.value
    }
}
