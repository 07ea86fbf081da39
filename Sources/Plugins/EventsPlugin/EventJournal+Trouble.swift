internal import DataBus
internal import EventLoops
internal import EventStorage
internal import JSONText
internal import PluginInterface
internal import StateFolder
internal import SystemInterface
internal import WireProtocol

// Errors of the store: reports and retries.

extension EventJournal {
    /// The delay before a misplaced folder is recreated (whoever removes it has finished by then), and the
    /// time between two retries.
    private static let repairDelay = Duration.seconds(1)
    private static let repairPace = Duration.seconds(10)

    struct Trouble: Equatable {
        var reason: String
        /// Whether a file of the store is not at its path.
        var isMisplaced: Bool
    }

    enum State: Equatable {
        case keeping
        case degraded(Trouble)
        /// A retry after this error is under way.
        case retrying(Trouble)
    }

    func degrade(because reason: String, isMisplaced: Bool = false) {
        let before = state
        var trouble = Trouble(reason: reason, isMisplaced: isMisplaced)
        switch before {
        case .keeping: break
        case .retrying(let old): trouble.isMisplaced = isMisplaced || old.isMisplaced
        // Only the first error of a try counts; a batch that was under way repeats it.
        case .degraded(let old): if old.isMisplaced || !isMisplaced { return }
        }
        let isNew = before == .keeping
        state = .degraded(trouble)
        timer?.unschedule()
        if trouble.isMisplaced {
            watch = nil
            repair(after: isNew ? Self.repairDelay : Self.repairPace)
        }
        // The same error is not reported twice.
        if case .retrying(let old) = before, old.isMisplaced, old.reason == reason { return }
        warn(
            "events are not kept across restarts any more: \(reason). "
                + (trouble.isMisplaced
                    ? "What is kept is written anew to '\(path)' as soon as that can be done"
                    : "Free space, or mend what is wrong with '\(path)', then run 'pickerctl reload'"),
            "events-store-degraded")
        // Deferred: this may run while output to a client is produced, and the event is for clients.
        if isNew {
            context.loop.enqueue { [weak self] in self?.publish(fault: reason) }
        }
    }

    func restored() {
        state = .keeping
        repairTimer = nil
        watchFolder()
        context.report(
            .notice, "events are kept across restarts again, in '\(path)'",
            fields: ["PICKERD_EVENT": "events-store-restored", "PICKERD_PATH": path])
        publish(fault: nil)
    }

    func warn(_ message: String, _ event: String) {
        context.report(
            .warning, message, fields: ["PICKERD_EVENT": event, "PICKERD_PATH": path])
    }

    private func publish(fault reason: String?) {
        context.publish(fault: reason, of: "events-store", at: path)
    }

    /// Retries after an error; otherwise does nothing.
    func retry() {
        guard case .degraded(let trouble) = state, !isBusy else { return }
        state = .retrying(trouble)
        // A recreated folder has a new mark.
        if !isMarked, !trouble.isMisplaced {
            do throws(StorageError) {
                try mark.renew(at: bus.lastSequence)
                isMarked = true
            } catch { return degrade(because: "\(error)") }
        }
        submittedThrough = storedThrough
        batchEnd = bus.lastSequence
        isBusy = true
        worker.retry(
            nextPart(),
            marking: .init(file: isMarked ? mark.identity : nil, content: mark.content))
    }

    private func repair(after delay: Duration) {
        if let repairTimer { return repairTimer.reschedule(after: delay) }
        repairTimer = try? context.loop.schedule(after: delay) { [unowned self] in
            // A retry that is under way ends with an answer.
            if isBusy { repair(after: Self.repairPace) } else { retry() }
        }
    }

    /// Continues with the mark of a recreated folder.
    func adopt(_ new: NumberMark) {
        do throws(StorageError) {
            // The old folder may be moved back, with numbers that are given out from now on.
            if isMarked { try mark.invalidate() }
            mark = new
            try mark.store(bus.lastSequence)
            isMarked = true
        } catch {
            isMarked = false
            new.remove()
            degrade(because: "\(error)")
        }
    }

    func watchFolder() {
        guard watch == nil else { return }
        // The folder may be gone already.
        defer { worker.check() }
        do throws(SystemError) {
            watch = try StateFolderWatch(path, on: context.loop) { [worker] in worker.check() }
        } catch {
            if error.code == .noSuchFile { return }
            context.report(
                .info,
                "'\(path)' can't be watched (\(error)): its removal or replacement is noticed when "
                    + "something is stored",
                fields: ["PICKERD_PATH": path])
        }
    }
}
