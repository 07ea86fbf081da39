internal import JSONText
internal import PluginInterface
internal import WireProtocol

/// Caches the topic of the last published event. Publishers tend to repeat a topic; then a comparison of
/// its bytes replaces the validation.
struct PublishedTopic {
    private let context: PluginContext
    private var last: Topic?
    /// The JSON text of the last topic, with its quotes.
    private var text: [UInt8] = []

    init(in context: PluginContext) { self.context = context }

    /// The member `topic` of `params`.
    /// - Throws: `invalidParams` for an invalid topic, `permissionDenied` for one of the daemon's own.
    mutating func topic(in params: ParameterReader) throws(ProtocolError) -> Topic {
        let view = params.view("topic")
        if let last, let view, view.hasBytes(of: text) { return last }
        let topic = try Topic(validating: params.string("topic"))
        if context.isReserved(topic) {
            throw .permissionDenied(
                "the topic '\(topic)' is the daemon's own: publish under another first word")
        }
        last = topic
        if let view { text = Array(view.bytes) }
        return topic
    }
}
