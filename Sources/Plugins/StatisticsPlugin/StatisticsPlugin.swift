internal import JSONText
package import ListRequests
internal import PickerModel
package import PluginInterface
internal import WireProtocol

/// The number, sizes and times of the listed documents, or of those that a query selects, and the values of an attribute.
///
/// Statistics are kept up to date after the first request, because clients tend to ask again: those of all
/// documents until the daemon ends, and those of the few queries used last. So the first request takes a
/// pass over the documents, later ones none.
package final class StatisticsPlugin: Plugin {
    package let manifest = PluginManifest(
        "statistics", "Count, sizes, times and attributes of documents, exact.",
        methods: [.documentsStats])

    private let limits: SurveyLimits
    package private(set) var surveys: SurveyQueue?
    private var kept: KeptStatistics?

    /// The number of queries whose statistics are kept up to date.
    package var keptCount: Int { kept?.count ?? 0 }

    package init(limits: SurveyLimits = SurveyLimits()) {
        self.limits = limits
    }

    package func activate(in context: PluginContext) throws(PluginError) {
        let documents = context.documents
        let surveys = SurveyQueue(on: context.loop, limits: limits)
        self.surveys = surveys
        kept = KeptStatistics(of: documents)
        context.register(.documentsStats) { [unowned self] (call, writer) throws(ProtocolError) in
            let request = try StatisticsRequest(
                reading: call.reader(), knowing: documents.attributes)
            try documents.check(request.list.collections)
            let (query, range) = (request.list.query, request.list.range)
            if request.needsAttributes {
                try limits.check(query, of: documents.count(in: range))
                let reply = PendingReply()
                let answering = try StatisticsAnswer(
                    to: request, documents, surveys, on: context.loop)
                answering.begin(for: reply)
                return .pending(reply)
            }
            if let statistics = kept?.statistics(for: query, in: range) {
                StatisticsRecord(statistics).write(to: &writer)
                return .answered
            }
            let survey = DocumentSurvey(
                of: documents, in: range, for: query, keepsStatistics: true)
            let count = documents.count(in: range)
            try limits.check(query, of: count)
            if limits.isDirect(survey.stepsPerDocument, count),
                survey.advance(budget: .max), let statistics = survey.statistics
            {
                kept?.add(survey)
                StatisticsRecord(statistics).write(to: &writer)
                return .answered
            }
            let reply = PendingReply()
            let ticket = surveys.begin(survey) { [weak self, weak reply] in
                guard let self, let reply, let statistics = survey.statistics else { return }
                kept?.add(survey)
                reply.resolve { StatisticsRecord(statistics).write(to: &$0) }
            }
            reply.onEnd = { ticket.cancel() }
            return .pending(reply)
        }
    }

    package func deactivate() {
        surveys?.stop()
        surveys = nil
        kept = nil
    }
}

/// A cache of live statistics: those of all documents, and those of a few queries, the last used first. Those for which
/// nobody has asked while many documents changed are let go.
private final class KeptStatistics {
    private static let limit = 4

    private var whole: DocumentSurvey?
    private var recent: [(survey: DocumentSurvey, isAsked: Bool)] = []
    private var meter: ChangeMeter?

    init(of documents: DocumentStore) {
        meter = ChangeMeter(of: documents) { [unowned self] in
            recent.removeAll { !$0.isAsked }
            for index in recent.indices { recent[index].isAsked = false }
        }
    }

    var count: Int { recent.count }

    func statistics(for query: DocumentQuery, in range: DocumentRange) -> DocumentStatistics? {
        if query.isEverything, range == .listed { return whole?.statistics }
        let place = recent.firstIndex { $0.survey.query == query && $0.survey.range == range }
        guard let place else { return nil }
        let survey = recent.remove(at: place).survey
        recent.insert((survey, true), at: 0)
        return survey.statistics
    }

    func add(_ survey: DocumentSurvey) {
        if survey.query.isEverything, survey.range == .listed {
            whole = survey
            return
        }
        recent.removeAll { $0.survey.query == survey.query && $0.survey.range == survey.range }
        recent.insert((survey, true), at: 0)
        if recent.count > Self.limit { recent.removeLast() }
    }
}
