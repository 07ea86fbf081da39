internal import JSONText
internal import PickerClient
internal import WireProtocol

/// The error of a reply.
struct ReplyError: Error, WireWritable {
    let kind: RefusalKind
    let message: String
    let data: JSONObject

    init(_ kind: RefusalKind, _ message: String, _ data: JSONObject = [:]) {
        self.kind = kind
        self.message = message.cut(to: Limits.message)
        self.data = data
    }

    init(_ error: ProtocolError) {
        let kind = RefusalKind(code: error.code, name: error.kind.name)
        self.init(kind, error.message, error.at.map { ["at": .string($0)] } ?? [:])
    }

    /// The refusal of a handler, or a fault of the plugin.
    init(_ error: any Error, of plugin: String) {
        let own = error as? PluginError
        switch own?.code {
        case .refused?:
            self.init(
                own?.refusal ?? .internalError, own?.message ?? "",
                own?.at.map { ["at": .string($0)] } ?? [:])
        case .cancelled?: self.init(.cancelled, own?.message ?? "")
        default: self.init(.internalError, "the plugin \(plugin) failed: \(said(error))")
        }
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("code", kind.code)
            writer.member("message", message)
            writer.member(object: "data") { writer in
                writer.member("kind", kind.name)
                for member in data.members {
                    writer.key(escaping: member.key)
                    writer.value(member.value)
                }
            }
        }
    }
}

/// What an error says, in one line of a file's error.
func said(_ error: any Error) -> String {
    let text = (error as? PluginError)?.message ?? "\(error)"
    let line = text.inOneLine(atMost: Limits.error)
    return line.isEmpty ? "\(type(of: error))" : line
}
