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
    /// Owners of topics change with the plugins; what is cached holds for this generation of them.
    private var generation = 0

    init(in context: PluginContext) { self.context = context }

    /// The member `topic` of `params`, as `session` may publish it.
    /// - Throws: `invalidParams` for an invalid topic, `permissionDenied` for one of the daemon or of a plugin.
    mutating func topic(
        in params: ParameterReader, for session: any ClientSession
    ) throws(ProtocolError) -> Topic {
        let view = params.view("topic")
        if let last, let view, view.hasBytes(of: text),
            generation == context.topicGeneration
        {
            return last
        }
        let topic = try Topic(validating: params.string("topic"))
        switch context.owner(of: topic) {
        case .daemon:
            throw .permissionDenied(
                "the topic '\(topic)' is the daemon's own: publish under another first word")
        case .process(let plugin):
            guard plugin == session.pluginProcess else {
                throw .permissionDenied(
                    "the topic '\(topic)' is that of the plugin '\(plugin)': publish under another "
                        + "first word")
            }
            // It is no one else's, so it is not kept.
            return topic
        case nil: break
        }
        generation = context.topicGeneration
        last = topic
        if let view { text = Array(view.bytes) }
        return topic
    }
}
