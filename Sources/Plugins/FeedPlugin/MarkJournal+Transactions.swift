internal import FeedStorage
internal import JSONText
internal import PickerModel
internal import PluginInterface
internal import StateFolder
internal import SystemInterface
internal import SystemdEventLoop
internal import WireProtocol

// What goes to the worker, one transaction at a time, and what comes back.

extension MarkJournal {
    func awaitTurnEnd() {
        guard !isTurnEndAwaited else { return }
        isTurnEndAwaited = true
        context.loop.atEndOfTurn { [weak self] in
            self?.isTurnEndAwaited = false
            self?.goOn()
        }
    }

    /// Hands the next transaction over, if there is one and the last is done.
    private func goOn(isRetry: Bool = false) {
        guard case .nothing = work else { return }
        if store == nil {
            _ = documents.marks.takeChanges()
            return
        }
        // After a failure, what only follows files about waits for a reason to try.
        let mayTry = isRetry || fault == nil || !waiting.isEmpty
        guard mayTry, isRetry || !waiting.isEmpty || documents.marks.hasChanges else { return }
        if !isLoaded {
            guard let worker = startedWorker() else { return }
            work = .opening
            worker.open()
            return
        }
        var planner = MarkPlanner(for: documents)
        let answers = planned(takeWaiting(), with: &planner)
        let plans = planner.changes
        let also = documents.marks.takeChanges()
        guard isRetry || fault != nil || !plans.isEmpty || !also.isEmpty else {
            // They are as they are wished already, and that is stored.
            resolve(answers)
            if !waiting.isEmpty { awaitTurnEnd() }
            return
        }
        work = .writing(plans, answers: answers, also: also)
        guard let worker = startedWorker() else { return }
        worker.write(batch(plans, also))
    }

    func batch(_ plans: [MarkPlan], _ also: MarkChanges) -> MarkBatch {
        let marks = documents.marks
        let base = mustReplace ? MarkChanges(puts: marks.everything()) : also
        var puts = Dictionary(uniqueKeysWithValues: base.puts.map { ($0.id, $0) })
        var removals = Set(base.removals)
        for plan in plans {
            let id = plan.stored.id
            if plan.stored.marks.isEmpty {
                puts[id] = nil
                removals.insert(id)
            } else {
                puts[id] = plan.stored
                removals.remove(id)
            }
        }
        let changes = MarkChanges(
            puts: puts.values.sorted { $0.id < $1.id },
            removals: mustReplace ? [] : removals.sorted())
        return MarkBatch(
            changes, replacesAll: mustReplace, isDurable: mustReplace || !plans.isEmpty)
    }

    // MARK: Answers

    func take(_ answer: MarkWorker.Answer) {
        // What is stored shows when the documents may change.
        if documents.hold.isOn {
            return documents.hold.whenOff { [weak self] in self?.take(answer) }
        }
        for note in answer.notes {
            context.report(
                .warning, note,
                fields: [
                    "PICKERD_EVENT": "feed-store-damaged", "PICKERD_PATH": store?.path ?? "",
                ])
            // It has been put right, as far as that can be; what is missing is for clients to know.
            publish("daemon.degraded", note)
            if fault == nil, answer.error == nil { publish("daemon.restored", nil) }
        }
        if let error = answer.error {
            if answer.isUnasked {
                // What is under way fails for it, and is answered by itself.
                mustReplace = true
                degrade(because: error)
            } else {
                failed(error, isOpen: answer.isOpen)
            }
        } else {
            succeeded(answer)
        }
        // Those that came meanwhile.
        if fault == nil || !waiting.isEmpty { goOn() }
    }

    private func succeeded(_ answer: MarkWorker.Answer) {
        let done = work
        work = .nothing
        retryTimer?.unschedule()
        let isNewlyOpened = answer.opened != nil || mustReplace
        if let marks = answer.opened { loaded(marks) }
        if case .writing(let plans, let answers, _) = done {
            mustReplace = false
            documents.mark(plans)
            resolve(answers)
        }
        if isNewlyOpened { watchFolder() }
        guard fault != nil else { return }
        fault = nil
        context.report(
            .notice, "likes, and what is dropped, are stored again, in '\(store?.path ?? "")'",
            fields: ["PICKERD_EVENT": "feed-store-restored", "PICKERD_PATH": store?.path ?? ""])
        publish("daemon.restored", nil)
    }

    private func resolve(_ answers: [(request: Waiting, marks: [Marks])]) {
        for answer in answers {
            answer.request.reply.resolve { answer.request.request.write(&$0, answer.marks) }
        }
    }

    func failed(_ error: StorageError, isOpen: Bool) {
        let failed = work
        work = .nothing
        if !isOpen { mustReplace = true }
        let refusal = ProtocolError.overloaded(
            retryAfterMs: 1000, "it can't be stored, and nothing was changed: \(error)")
        if case .writing(_, let answers, let also) = failed {
            documents.marks.putBack(also)
            for answer in answers { answer.request.reply.fail(refusal) }
        } else {
            // There was nothing to plan on: those that waited for it are told.
            let refused = waiting
            waiting = []
            for waiting in refused { waiting.reply.fail(refusal) }
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
        context.report(
            .warning,
            "likes, and what is dropped, can't be stored: \(reason). "
                + (isMisplaced
                    ? "They are written anew to '\(store?.path ?? "")' as soon as that can be done"
                    : "Free space, or mend what is wrong with '\(store?.path ?? "")'; it is tried again"),
            fields: ["PICKERD_EVENT": "feed-store-degraded", "PICKERD_PATH": store?.path ?? ""])
        publish("daemon.degraded", reason)
    }

    private func publish(_ topic: Topic, _ reason: String?) {
        context.publish(topic) { writer in
            writer.object { writer in
                writer.member("what", "feed-store")
                if let reason { writer.member("reason", reason) }
                writer.member("path", store?.path ?? "")
            }
        }
    }

    private func retry(after delay: Duration) {
        if let retryTimer { return retryTimer.reschedule(after: delay) }
        retryTimer = try? context.loop.schedule(after: delay) { [unowned self] in retry() }
    }

    /// Has it looked whether the store is in its place whenever something happens there.
    private func watchFolder() {
        guard watch == nil, let worker, let store else { return }
        // It may be gone by now.
        defer { worker.check() }
        do throws(SystemError) {
            watch = try StateFolderWatch(store.path, on: context.loop) { [worker] in worker.check()
            }
        } catch {
            if error.code == .noSuchFile { return }
            context.report(
                .info,
                "'\(store.path)' can't be watched (\(error)): that it is removed or replaced is seen "
                    + "when something is stored",
                fields: ["PICKERD_PATH": store.path])
        }
    }

    /// Tries again after an error. Does nothing when there was none.
    func retry() {
        if fault != nil { goOn(isRetry: true) }
    }
}
