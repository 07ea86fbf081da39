internal import EventLoops
internal import PluginInterface
internal import PluginProcesses
internal import WireProtocol

// A new version of the files. It is started beside the process of the old one, which goes on; once it has answered
// `plugin.hello` it gets all new calls, and the old one is told to stop. If it does not come so far, the old one stays.
// One whose folder changes soon after that waits for the next trial (`UpgradePause`).
extension HostedPlugin {
    /// Its files are others now.
    func adopt(_ new: FoundPlugin) {
        let isChanged = new.fingerprint != found.fingerprint || new.folder != found.folder
        let wasUsable = manifest != nil
        found = new
        guard isChanged || wasUsable != (manifest != nil) else { return settle() }
        upgradeFault = nil
        policy.forget()
        guard let manifest, isEnabled else { return settle() }
        switch life {
        case .ready, .starting: upgrade()
        case .off: settle()
        case .waiting, .backoff, .quarantined, .incompatible:
            offerMethods(of: manifest)
            enterWaiting()
        }
    }

    /// Starts the new version, now or after a pause.
    private func upgrade() {
        if upgradeTimer?.isSet == true { return }
        let wait = upgradePause.delay(forChangeAt: loop.now)
        guard wait > .zero else { return tryNewVersion() }
        upgradeTimer = try? loop.schedule(after: wait) { [unowned self] in tryNewVersion() }
    }

    private func tryNewVersion() {
        guard let manifest, isEnabled, current != nil else { return }
        upgradePause.started(at: loop.now)
        // A newer one still: the last trial is over.
        if let successor { retire(successor) }
        let process = house.makeProcess(of: self, manifest)
        successor = process
        process.greeted = { [unowned self, unowned process] in succeed(process) }
        process.ended = { [unowned self, unowned process] in trialFailed(process, $0) }
        process.start(greeting: house.greeting(for: self))
    }

    private func succeed(_ process: PluginProcess) {
        successor = nil
        if let old = current { retire(old) }
        process.ended = { [unowned self, unowned process] in fell(process, $0) }
        offerMethods(of: process.manifest)
        isReady(process)
    }

    private func trialFailed(_ process: PluginProcess, _ cause: PluginProcess.Cause) {
        successor = nil
        upgradeFault = "upgrade failed: \(cause.reason)"
        house.announce(
            "plugin.exited", of: self, state: record.state, reason: upgradeFault,
            lines: process.output.lastLines)
    }
}
