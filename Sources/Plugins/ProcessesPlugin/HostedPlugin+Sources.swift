internal import EventLoops
internal import PickerModel
internal import PluginInterface
internal import PluginProcesses
internal import WireProtocol

// The sources of the plugin, which are collections of items for lists.
extension HostedPlugin {
    /// Offers the sources of a manifest, in place of those before. Unchanged ones stay, with what they have.
    func offerSources(of manifest: ProcessManifest) {
        let titles = Dictionary(
            manifest.sources.map { ($0.name, $0.title) }, uniquingKeysWith: { one, _ in one })
        sources.removeAll { source in
            if titles[source.name] == source.collection.title { return false }
            source.withdraw()
            return true
        }
        for source in manifest.sources where !sources.contains(where: { $0.name == source.name }) {
            sources.append(HostedSource(source, of: self))
        }
    }

    func withdrawSources() {
        for source in sources { source.withdraw() }
        sources = []
    }

    /// A source is to be opened: by the process that runs, or one that is started.
    func sourceIsWanted(_ source: HostedSource) {
        lastUse = loop.now
        switch life {
        case .waiting: start()
        case .ready(let process): openSources(with: process)
        case .starting, .backoff: break
        case .off, .quarantined, .incompatible: source.giveUp()
        }
    }

    func openSources(with process: PluginProcess) {
        // It may outlive the plugin host, like the process that is told to stop.
        process.takeSourceRequest = { [weak self, unowned process] request in
            if let self { return take(request, from: process) }
            if let id = request.id {
                process.reply(id, .failure(.conflict("the plugin is switched off")))
            }
        }
        if process.phase != .serving { return }
        for source in sources { source.open(with: process) }
    }

    /// A process is to do nothing more for the sources.
    func sourcesLeave(_ process: PluginProcess) {
        for source in sources { source.leave(process) }
    }

    /// A request of a process about one of them.
    private func take(_ request: RequestEnvelope, from process: PluginProcess) {
        do throws(ProtocolError) {
            let name = try request.reader().string("source")
            guard let source = sources.first(where: { $0.name == name }) else {
                throw .noSuchItem(
                    "the manifest of '\(id)' has no source \(ProtocolError.quoted(name))")
            }
            source.take(request, from: process)
        } catch {
            if let id = request.id { process.reply(id, .failure(error)) }
        }
    }
}
