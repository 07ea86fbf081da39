internal import JSONText
internal import PluginProcesses
internal import WireProtocol

/// What a process is told in `plugin.hello`, and what it must answer.
struct Greeting {
    /// The version of the protocol between the daemon and its plugins.
    static let version = 1
    /// What the daemon asks of plugins, besides the methods that they contribute.
    static let capabilities = ["action", "cancel"]

    /// Name and version of the daemon.
    var daemon: String
    /// The epoch of the documents.
    var epoch: String
    var config: JSONFragment?
    var roots: [String]
    var locale: String

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("api", Self.version)
            writer.member("capabilities", Self.capabilities)
            writer.member("daemon", daemon)
            writer.member("epoch", epoch)
            writer.key("config")
            if let config { writer.fragment(config) } else { writer.object { _ in } }
            writer.member("roots", roots)
            writer.member("locale", locale)
        }
    }

    /// Checks the answer: its version, and that it provides no kind of contribution that its manifest does not have.
    static func check(_ answer: JSONView, of manifest: ProcessManifest) throws(GreetingFault) {
        let api: Int
        let provided: [String]
        do throws(ProtocolError) {
            let reader = try ParameterReader(answer)
            api = try reader.int("api")
            provided = try reader.optionalStrings("provides", limit: 64) ?? []
        } catch {
            throw .refused("its answer to plugin.hello is not as agreed: \(error.message)")
        }
        guard api == version else {
            throw .incompatible(
                "it speaks version \(api) of the plugin protocol, and the daemon \(version)")
        }
        let known = ["extract", "source", "action", "method"]
        let declared = [
            !manifest.attributes.isEmpty, !manifest.sources.isEmpty, !manifest.actions.isEmpty,
            !manifest.methods.isEmpty,
        ]
        for (kind, isDeclared) in zip(known, declared) where provided.contains(kind) && !isDeclared
        {
            throw .refused(
                "it provides '\(kind)', and its manifest has nothing of that kind")
        }
    }
}

/// Why an answer to `plugin.hello` is not accepted.
enum GreetingFault: Error {
    case incompatible(String)
    case refused(String)
}
