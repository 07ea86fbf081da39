internal import EventLoops
internal import JSONText
internal import ListRequests
internal import PickerModel
internal import PluginInterface
internal import PluginProcesses
internal import WireProtocol

// The attributes of the plugin: what it offers to the directory of attributes, and the files that it is to read.
extension HostedPlugin {
    /// Offers the attributes of a manifest, in place of those before. Unchanged ones stay as they are.
    func offerAttributes(of manifest: ProcessManifest) {
        let identity = OfferedAttributes(manifest)
        if identity == offered { return }
        withdrawAttributes()
        offered = identity
        let directory = house.context.documents.attributes
        for (group, attributes) in Dictionary(grouping: manifest.attributes, by: \.group)
            .sorted(by: { $0.key < $1.key })
        {
            let condition: DocumentFilter?
            do throws(ProtocolError) {
                condition = try Self.condition(of: attributes)
            } catch {
                house.context.report(
                    .warning,
                    "the plugin '\(id)' offers no attributes of the group '\(group)': \(error.message)",
                    fields: ["PICKERD_PLUGIN": id, "PICKERD_EVENT": "plugin-left-out"])
                continue
            }
            let reader = HostedReader(group, attributes, of: self)
            readers.append(reader)
            let offer = AttributeOffer(
                plugin: id, version: manifest.version, group: group,
                attributes: attributes.map { ($0.name, Attribute.Kind($0.type)) },
                condition: condition, reader: reader,
                isReadInBackground: choice.worksInBackground)
            offers.append(offer)
            directory.add(offer)
        }
    }

    /// Follows the setting whether documents are read although nobody asks.
    func settleBackground() {
        for offer in offers {
            house.context.documents.attributes.readInBackground(choice.worksInBackground, offer)
        }
    }

    func withdrawAttributes() {
        offered = nil
        for offer in offers { house.context.documents.attributes.remove(offer) }
        offers = []
        for reader in readers { reader.processEnded(isFault: false, keepsWaiting: false) }
        readers = []
    }

    /// The documents that may have any of some attributes; nil for all.
    private static func condition(
        of attributes: [ProcessManifest.Attribute]
    ) throws(ProtocolError) -> DocumentFilter? {
        var parts: [FilterExpression] = []
        for attribute in attributes {
            guard let documents = attribute.documents else { return nil }
            let filter = try WhereReader.filter(
                documents, at: "\(attribute.name).for", knowing: nil)
            if !parts.contains(filter.expression) { parts.append(filter.expression) }
        }
        return DocumentFilter(parts.count == 1 ? parts[0] : .any(parts))
    }

    /// A reader has files for the process, which is started if it does not run.
    func readerHasWork() {
        lastUse = loop.now
        switch life {
        case .waiting: start()
        case .ready: sendNext()
        case .starting, .off, .backoff, .quarantined, .incompatible: break
        }
    }

    /// Sends the batches that wait. One that must be read while no other is waits until there is none, and the others
    /// wait for it.
    func sendBatches(to process: PluginProcess) {
        guard case .ready(let ready) = life, ready === process else { return }
        while process.phase == .serving, !process.batches.hasLoneOne {
            if let lone = readers.first(where: { $0.isNextAlone == true }) {
                guard process.batches.isEmpty else { return }
                lone.sendNext(to: process)
            } else if let next = readers.first(where: { $0.hasWork }) {
                next.sendNext(to: process)
            } else {
                return
            }
        }
    }

    /// A process is over. The files that it had are given back.
    /// - Returns: whether it had any, and ended by itself.
    @discardableResult
    func giveFilesBack(_ cause: PluginProcess.Cause) -> Bool {
        let isFault = cause.isFault
        var hadFiles = false
        for reader in readers {
            if reader.processEnded(isFault: isFault, keepsWaiting: true) { hadFiles = true }
        }
        return hadFiles && isFault
    }

    func tellReadersOfRoom() {
        for reader in readers where reader.room > 0 { reader.whenReady?() }
    }
}

extension PluginProcess.Cause {
    /// Whether the process did something wrong. Somebody else's signal says nothing of it.
    var isFault: Bool {
        switch self {
        case .stopped, .incompatible: false
        case .ended: true
        case .fell(let end): end != .killed(signal: 9) && end != .killed(signal: 15)
        }
    }
}

/// By what an offer of attributes is known again.
struct OfferedAttributes: Equatable {
    let version: String
    let attributes: [ProcessManifest.Attribute]

    init(_ manifest: ProcessManifest) {
        version = manifest.version
        attributes = manifest.attributes
    }
}
