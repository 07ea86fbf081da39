internal import JSONText
internal import PluginInterface
internal import WireProtocol

/// The topic that a client last published under. Publishers tend to stay with one: its bytes are compared,
/// and nothing else is looked at again.
struct PublishedTopic {
    private let context: PluginContext
    private var last: Topic?
    /// The text of the last one, with its quotes.
    private var text: [UInt8] = []

    init(in context: PluginContext) { self.context = context }

    /// The member `topic` of `params`.
    /// - Throws: invalidParams if it is none, permissionDenied if it is one of the daemon's own.
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
