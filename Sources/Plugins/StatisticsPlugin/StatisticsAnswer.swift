internal import EventLoops
internal import ListRequests
internal import PickerModel
internal import PluginInterface
internal import WireProtocol

/// The answer to a request for statistics that depend on attributes, since their query does, or as they are those of an
/// attribute: it waits until these have been read, ten seconds at most. Its result is not kept, as the attributes are not
/// once nobody wants them.
final class StatisticsAnswer {
    private let documents: DocumentStore
    private let surveys: SurveyQueue
    private let survey: DocumentSurvey
    private let wait: AttributeWait?
    private var ticket: SurveyTicket?

    init(
        to request: StatisticsRequest, _ documents: DocumentStore, _ surveys: SurveyQueue,
        on loop: any EventLoop
    ) throws(ProtocolError) {
        self.documents = documents
        self.surveys = surveys
        let use = try request.list.use(documents.attributes, and: request.attribute)
        survey = DocumentSurvey(
            of: documents, in: request.list.range, for: request.list.query, keepsStatistics: true,
            of: request.attribute)
        wait = AttributeWait(use, of: request.list, on: loop)
    }

    /// Answers later. Until then the reply retains this.
    func begin(for reply: PendingReply) {
        reply.onEnd = { [self] in
            wait?.cancel()
            ticket?.cancel()
        }
        guard let wait else { return count(for: reply) }
        wait.whenDone { [weak self, weak reply] in
            if let self, let reply { count(for: reply) }
        }
    }

    private func count(for reply: PendingReply) {
        ticket = surveys.begin(survey) { [weak self, weak reply] in
            guard let self, let reply, let statistics = survey.statistics else { return }
            let known = documents.attributes
            let record = StatisticsRecord(
                statistics, naming: { known.name(of: $0) }, pending: wait?.pending(known) ?? [:])
            reply.resolve { record.write(to: &$0) }
        }
    }
}
