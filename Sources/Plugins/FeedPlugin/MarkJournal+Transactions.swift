internal import EventLoops
internal import FeedStorage
internal import JSONText
internal import PickerModel
internal import PluginInterface
internal import StateFolder
internal import SystemInterface
internal import WireProtocol

// Transactions with the worker, one at a time, and their answers.

extension MarkJournal {
    func scheduleTransaction() {
        guard !isTransactionScheduled else { return }
        isTransactionScheduled = true
        context.loop.atEndOfTurn { [weak self] in
            self?.isTransactionScheduled = false
            self?.startNextTransaction()
        }
    }

    /// Starts the next transaction, if there is one and the last has ended.
    private func startNextTransaction(isRetry: Bool = false) {
        guard case .nothing = activity else { return }
        if store == nil { _ = documents.marks.takeChanges() }
        // After a failure, changes that only track files wait for a retry or a request.
        let mayTry = isRetry || fault == nil || !queued.isEmpty
        guard mayTry, isRetry || !queued.isEmpty || documents.marks.hasChanges else { return }
        if !isLoaded {
            guard let worker = startedWorker() else { return }
            activity = .opening
            worker.open()
            return
        }
        activity = .planning(
            MarkPlanning(dequeueRequests(), of: documents, isRetry: isRetry))
        continuePlanning()
    }

    /// Plans the next documents, and then has all plans stored.
    private func continuePlanning() {
        // It may have ended meanwhile.
        guard case .planning(let planning) = activity else { return }
        guard planning.advance(budget: Self.documentsAtOnce) else {
            context.loop.enqueue(priority: .low) { [weak self] in self?.continuePlanning() }
            return
        }
        let plans = planning.plans
        let answers = planning.answers
        if store == nil {
            if documents.hold.isOn {
                return documents.hold.whenOff { [weak self] in self?.continuePlanning() }
            }
            apply(plans[...], answers)
            if !queued.isEmpty { scheduleTransaction() }
            return
        }
        let fileChanges = documents.marks.takeChanges()
        guard planning.isRetry || fault != nil || !plans.isEmpty || !fileChanges.isEmpty else {
            // The documents have the requested marks already, and those are stored.
            activity = .nothing
            resolve(answers)
            if !queued.isEmpty { scheduleTransaction() }
            return
        }
        activity = .writing(plans, answers: answers, fileChanges: fileChanges)
        guard let worker = startedWorker() else { return }
        worker.write(batch(plans, fileChanges))
    }

    func batch(_ plans: [MarkPlan], _ fileChanges: MarkChanges) -> MarkBatch {
        let marks = documents.marks
        return MarkBatch(
            mustReplace ? MarkChanges(puts: marks.everything()) : fileChanges,
            followedBy: plans.map(\.stored), replacesAll: mustReplace,
            isDurable: mustReplace || !plans.isEmpty)
    }

    // MARK: Answers

    func receive(_ answer: MarkWorker.Answer) {
        // Stored marks are applied once the documents may change.
        if documents.hold.isOn {
            return documents.hold.whenOff { [weak self] in self?.receive(answer) }
        }
        for note in answer.notes {
            report(.warning, note, "feed-store-damaged")
            // The store has repaired itself as far as possible; clients must know what is missing.
            publish(fault: note)
            if fault == nil, answer.error == nil { publish(fault: nil) }
        }
        if let error = answer.error {
            if answer.isUnasked {
                // A transaction under way fails with the same error and gets its own answer.
                mustReplace = true
                degrade(because: error)
            } else {
                failed(error, isOpen: answer.isOpen)
            }
        } else {
            succeeded(answer)
        }
        // Requests that came in the meantime.
        if fault == nil || !queued.isEmpty { startNextTransaction() }
    }

    private func succeeded(_ answer: MarkWorker.Answer) {
        let done = activity
        activity = .nothing
        retryTimer?.unschedule()
        let isNewlyOpened = answer.opened != nil || mustReplace
        if let marks = answer.opened { applyLoaded(marks) }
        if case .writing(let plans, let answers, _) = done {
            mustReplace = false
            apply(plans[...], answers)
        }
        if isNewlyOpened { watchFolder() }
        guard fault != nil else { return }
        fault = nil
        report(
            .notice, "likes, and what is dropped, are stored again, in '\(path)'",
            "feed-store-restored")
        publish(fault: nil)
    }

    /// Lets stored marks take effect, in parts, and then answers.
    private func apply(
        _ plans: ArraySlice<MarkPlan>, _ answers: [(request: QueuedRequest, marks: [Marks])]
    ) {
        let part = plans.prefix(takingEffect.count)
        if !part.isEmpty {
            let began = context.loop.now
            documents.mark(Array(part))
            takingEffect.adjust(to: began.duration(to: context.loop.now), for: part.count)
        }
        let rest = plans.dropFirst(part.count)
        if rest.isEmpty {
            activity = .nothing
            return resolve(answers)
        }
        activity = .applying(rest, answers: answers)
        context.loop.enqueue(priority: .low) { [weak self] in self?.continueApplying() }
    }

    private func continueApplying() {
        // It may have ended meanwhile.
        guard case .applying(let rest, let answers) = activity else { return }
        if documents.hold.isOn {
            return documents.hold.whenOff { [weak self] in self?.continueApplying() }
        }
        apply(rest, answers)
        if fault == nil || !queued.isEmpty { startNextTransaction() }
    }

    private func resolve(_ answers: [(request: QueuedRequest, marks: [Marks])]) {
        for answer in answers {
            answer.request.reply.resolve { answer.request.request.write(&$0, answer.marks) }
        }
    }

    func failed(_ error: StorageError, isOpen: Bool) {
        let failed = activity
        activity = .nothing
        if !isOpen { mustReplace = true }
        let refusal = ProtocolError.overloaded(
            retryAfterMs: 1000, "it can't be stored, and nothing was changed: \(error)")
        if case .writing(_, let answers, let fileChanges) = failed {
            documents.marks.putBack(fileChanges)
            for answer in answers { answer.request.reply.fail(refusal) }
        } else {
            // Without loaded marks nothing can be planned: waiting requests fail.
            let refused = queued
            queued = []
            for queued in refused { queued.reply.fail(refusal) }
        }
        degrade(because: error)
    }

    private func degrade(because error: StorageError) {
        let isNew = fault == nil
        let isMisplaced = error.code == .misplaced
        let reason = "\(error)"
        fault = reason
        if isMisplaced { watch = nil }
        retry(after: isMisplaced && isNew ? Self.repairDelay : Self.retryPace)
        guard isNew else { return }
        report(
            .warning,
            "likes, and what is dropped, can't be stored: \(reason). "
                + (isMisplaced
                    ? "They are written anew to '\(path)' as soon as that can be done"
                    : "Free space, or mend what is wrong with '\(path)'; it is tried again"),
            "feed-store-degraded")
        publish(fault: reason)
    }

    private func publish(fault reason: String?) {
        context.publish(fault: reason, of: "feed-store", at: path)
    }

    private func retry(after delay: Duration) {
        if let retryTimer { return retryTimer.reschedule(after: delay) }
        retryTimer = try? context.loop.schedule(after: delay) { [unowned self] in retry() }
    }

    /// Checks the store's paths whenever something happens in its folder.
    private func watchFolder() {
        guard watch == nil, let worker, let store else { return }
        // The folder may be gone already.
        defer { worker.check() }
        do throws(SystemError) {
            watch = try StateFolderWatch(store.path, on: context.loop) { [worker] in worker.check()
            }
        } catch {
            if error.code == .noSuchFile { return }
            context.report(
                .info,
                "'\(store.path)' can't be watched (\(error)): its removal or replacement is noticed "
                    + "when something is stored",
                fields: ["PICKERD_PATH": store.path])
        }
    }

    /// Retries after an error; otherwise does nothing.
    func retry() {
        if fault != nil { startNextTransaction(isRetry: true) }
    }
}
