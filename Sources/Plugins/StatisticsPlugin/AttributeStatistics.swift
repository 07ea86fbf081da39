internal import ListRequests
internal import PickerModel
internal import PluginInterface
internal import SystemdEventLoop
internal import WireProtocol

/// The answer to a request for statistics of a query that depends on attributes: it waits until these have been read, ten
/// seconds at most. Its result is not kept, as the attributes are not once nobody wants them.
final class AttributeStatistics {
    private let documents: DocumentStore
    private let surveys: SurveyQueue
    private let survey: DocumentSurvey
    private let wait: AttributeWait?
    private var ticket: SurveyTicket?

    init(
        of query: DocumentQuery, in range: DocumentRange, _ documents: DocumentStore,
        _ surveys: SurveyQueue, _ use: AttributeUse?, on loop: any EventLoop
    ) {
        self.documents = documents
        self.surveys = surveys
        survey = DocumentSurvey(of: documents, in: range, for: query, keepsStatistics: true)
        wait = AttributeWait(use, on: loop)
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
            reply.resolve { StatisticsRecord(statistics).write(to: &$0) }
        }
    }
}
