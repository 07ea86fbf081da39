package import JSONText
package import WireProtocol

/// What a process is told in `plugin.hello`, and what it must answer.
package struct Greeting {
    /// The version of the protocol between the daemon and its plugins.
    package static let version = 1
    /// What the daemon asks of plugins, besides the methods that they contribute.
    package static let capabilities = ["extract", "source", "action", "cancel"]

    /// Name and version of the daemon.
    package var daemon: String
    /// The epoch of the documents.
    package var epoch: String
    package var config: JSONFragment?
    package var roots: [String]
    package var locale: String

    package init(
        daemon: String, epoch: String, config: JSONFragment?, roots: [String], locale: String
    ) {
        self.daemon = daemon
        self.epoch = epoch
        self.config = config
        self.roots = roots
        self.locale = locale
    }

    package func write(to writer: inout JSONWriter) {
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

    /// Checks the answer, which may be an error.
    package static func check(
        _ answer: Result<JSONView, ProtocolError>, of manifest: ProcessManifest
    ) throws(GreetingFault) {
        switch answer {
        case .success(let view): try check(view, of: manifest)
        case .failure(let error):
            throw .refused("it answers plugin.hello with an error: \(error.message)")
        }
    }

    /// Checks the answer: its version, and that it provides no kind of contribution that its manifest does not have.
    private static func check(
        _ answer: JSONView, of manifest: ProcessManifest
    ) throws(GreetingFault) {
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
package struct GreetingFault: Error, CustomStringConvertible {
    /// Whether it speaks another version of the protocol, and no other start will help.
    package let isIncompatible: Bool
    package let description: String

    static func incompatible(_ why: String) -> Self { Self(isIncompatible: true, description: why) }
    static func refused(_ why: String) -> Self { Self(isIncompatible: false, description: why) }
}
