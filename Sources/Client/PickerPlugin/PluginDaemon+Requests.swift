internal import JSONText
internal import PickerClient
internal import WireProtocol

extension PluginDaemon {
    /// Handles the request that has waited longest.
    func handleNext() {
        let request = waiting.removeFirst()
        guard let id = request.id else { return }
        let handling = Handling(id)
        running.append(handling)
        beginLookingUp()
        let outcome: Result<JSONFragment, ReplyError>
        do {
            outcome = .success(try dispatch(request))
        } catch let error as ReplyError {
            outcome = .failure(error)
        } catch {
            if !(error is PluginError) { show(error, of: request.method) }
            outcome = .failure(ReplyError(error, of: manifest.id))
        }
        running.removeAll { $0 === handling }
        if end != nil { return }
        // An error is the end, which is noted where it occurs.
        do {
            switch outcome {
            case .success(let result): try reply(to: id, result)
            case .failure(let error): try reply(to: id, error)
            }
            if request.method == "plugin.stop" { close(.terminated) }
            if case .success = outcome, request.method == "source.open" {
                try source(of: request).push()
            }
        } catch let error as PluginError {
            close(error)
        } catch {
            show(error, of: request.method)
        }
    }

    private func dispatch(_ request: RequestEnvelope) throws -> JSONFragment {
        let method = request.method
        guard isGreeted || method == "plugin.hello" else {
            let words = "plugin.hello comes first, and was not there before \(method)"
            throw ReplyError(.notReady, words)
        }
        switch method {
        case "plugin.hello": return try greet(try request.orReplyError())
        case "plugin.configure": return try configure(try request.orReplyError())
        case "plugin.stop":
            tellEnd()
            return .emptyObject
        case "attributes.extract": return try extract(try request.orReplyError())
        case "action.run": return try act(try request.orReplyError())
        case "source.open":
            return try source(of: request).open(
                since: request.orReplyError().view("since")?.stringValue)
        default: break
        }
        guard let own = parts.methods[method] else {
            let names = parts.methods.keys.sorted().joined(separator: ", ")
            let there = names.isEmpty ? "no methods of its own" : names
            throw ReplyError(
                .methodNotFound, "the plugin \(manifest.id) has no \(method); it has \(there)")
        }
        let params = request.params.map { RawJSON($0.fragment) } ?? RawJSON(JSONObject())
        return try own.answer(Method.Call(parameters: params, daemon: self)).fragment
    }

    private func greet(_ params: ParameterReader) throws -> JSONFragment {
        let least = max(manifest.api.min, 1)
        let greatest = min(manifest.api.max, 1)
        let api = params.view("api")?.integerValue(asWritten: ())
        guard let api, least <= api, api <= greatest else {
            let told = params.view("api")?.description.cut(to: 20) ?? "none"
            throw ReplyError(
                .unsupported,
                "the daemon speaks version \(told) of the plugin interface; the plugin "
                    + "\(manifest.id) is made for \(manifest.api.min) to \(manifest.api.max), and "
                    + "the library PickerPlugin speaks 1",
                ["min": .integer(least), "max": .integer(greatest)])
        }
        roots = (try? params.optionalStrings("roots")) ?? []
        locale = params.view("locale")?.stringValue ?? ""
        name = params.view("daemon")?.stringValue ?? ""
        let config = params.view("config")
        try take(config?.kind == .object ? config?.fragment ?? .emptyObject : .emptyObject)
        isGreeted = true
        return JSONFragment { writer in
            writer.object { writer in
                writer.key("api")
                writer.integer(api)
                writer.member("version", manifest.version)
                writer.key("provides")
                writer.array { writer in parts.provides.forEach { writer.string($0) } }
            }
        }
    }

    private func configure(_ params: ParameterReader) throws -> JSONFragment {
        guard let config = params.view("config"), config.kind == .object else {
            throw ReplyError(.invalidParams, "config must be an object", ["at": "config"])
        }
        try take(config.fragment)
        return .emptyObject
    }

    /// Takes settings, or keeps the former ones if the plugin can't use them.
    private func take(_ settings: JSONFragment) throws(ReplyError) {
        let former = config
        config = RawJSON(settings)
        do {
            try parts.configure(config, self)
        } catch {
            config = former
            let words = "the plugin \(manifest.id) can't use these settings: \(said(error))"
            throw ReplyError(.invalidParams, words, ["at": "config"])
        }
    }

    private func source(of request: RequestEnvelope) throws(ReplyError) -> Source {
        let name = try request.orReplyError().view("source")?.stringValue
        if let name, let source = parts.sources[name] { return source }
        throw unknown("source", "has no source", name, of: parts.sources.keys, .noSuchItem)
    }

    /// The error for a part of a name that is not there.
    func unknown(
        _ member: String, _ lack: String, _ name: String?,
        of known: some Collection<String>, _ kind: RefusalKind
    ) -> ReplyError {
        let there = known.isEmpty ? "none" : known.sorted().joined(separator: ", ")
        let told = name.map { "'\($0.cut(to: 60))'" } ?? "without a name"
        return ReplyError(
            kind, "the plugin \(manifest.id) \(lack) \(told) (there: \(there))",
            ["at": .string(member)])
    }
}

extension RequestEnvelope {
    /// Access to the parameters; the error of repeated ones is one of ours.
    func orReplyError() throws(ReplyError) -> ParameterReader {
        do {
            return try reader()
        } catch {
            throw ReplyError(error)
        }
    }
}

extension JSONFragment {
    static let emptyObject = JSONFragment(JSONValue.object([:]))
}
