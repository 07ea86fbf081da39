internal import AttributeStorage
internal import EventLoops
internal import PickerModel
internal import PluginInterface

// The questions to the cache and the batches of the reader, and what becomes of them.
extension BackgroundGroup {
    /// Asks the cache whether it knows documents.
    func ask(_ files: [GroupReading.Asked], _ done: @escaping () -> Void) -> Step {
        let versions = documents.table.versions(of: files)
        let isAsked = house.cache.ask(extractor, versions, []) { [weak self] found in
            defer { done() }
            guard let self, !hasEnded else { return }
            for (file, state) in zip(files, found.states) { take(state, file) }
        }
        guard isAsked else {
            for file in files { release(file.key) }
            return .refused
        }
        busy.formUnion(files.map(\.key))
        return .underWay
    }

    private func take(_ state: FoundReadings.State, _ file: GroupReading.Asked) {
        guard let row = documents.table.row(ofUnchanged: file), !outdated.contains(file.key) else {
            return release(file.key)
        }
        switch state {
        case .read, .failed: finish(file, row)
        case .unknown: queue.append(file)
        }
    }

    /// Gives the reader the next batch.
    func read(_ done: @escaping () -> Void) -> Step {
        var files: [GroupReading.Asked] = []
        var sent: [ReadingBatch.File] = []
        var isAlone = false
        while sent.count < reader.mostFiles, !isAlone, let file = queue.first {
            isAlone = suspects.contains(file.key)
            // Alone, so that it is known which one it was.
            if isAlone, !sent.isEmpty { break }
            queue.removeFirst()
            guard let row = unread(file) else {
                isAlone = false
                continue
            }
            files.append(file)
            sent.append(documents.table.fileToRead(row, file.key))
        }
        if files.isEmpty { return .looked }
        outdated.subtract(files.map(\.key))
        let batch = ReadingBatch(
            group: offer.group, wanted: wanted, isUrgent: false, isBackground: true,
            isAlone: files.count == 1 && suspects.contains(files[0].key), files: sent)
        reader.read(batch) { [weak self] outcome in
            defer { done() }
            guard let self, !hasEnded else { return }
            take(outcome, files, isAlone: batch.isAlone)
        }
        return .underWay
    }

    /// The row of a document that is still to be read: somebody may have wanted it meanwhile.
    private func unread(_ file: GroupReading.Asked) -> DocumentRow? {
        guard let row = documents.table.row(ofUnchanged: file) else {
            suspects.remove(file.key)
            release(file.key)
            return nil
        }
        if !outdated.contains(file.key), house.reading(of: offer)?.read.contains(row) ?? false {
            finish(file, row)
            return nil
        }
        return row
    }

    private func take(
        _ outcome: ReadingOutcome, _ files: [GroupReading.Asked], isAlone: Bool
    ) {
        var found: [(file: GroupReading.Asked, reading: CachedReading)] = []
        switch outcome {
        case .answers(let answers):
            for (file, answer) in zip(files, answers) {
                suspects.remove(file.key)
                if let reading = reading(answer, file) {
                    found.append((file, reading))
                } else {
                    pause(file)
                }
            }
        case .ended(let isFault):
            for file in files {
                if isFault, suspects.condemns(file.key, isAlone: isAlone) {
                    found.append((file, .failed))
                } else {
                    queue.append(file)
                }
            }
        case .refused:
            // In smaller parts it may do: alone, in the end.
            for file in files {
                if files.count == 1 {
                    pause(file)
                } else {
                    suspects.add(file.key)
                    queue.append(file)
                }
            }
        }
        store(found)
    }

    /// What an answer says of a file; nil if that is nothing, now.
    private func reading(
        _ answer: ReadingOutcome.Answer, _ file: GroupReading.Asked
    ) -> CachedReading? {
        let facts = file.facts
        let expected = ReadingOutcome.Seen(
            inode: facts.inode, size: facts.size, modified: facts.modified)
        switch answer {
        case .values(let values, let seen): return seen == expected ? .values(values) : nil
        case .none(let seen): return seen == expected ? .values([:]) : nil
        case .failed: return .failed
        case .later: return nil
        }
    }

    /// Gives the cache again what it had no room for.
    /// - Returns: whether it has all of it now.
    func storeRest() -> Bool {
        if unstored.isEmpty { return true }
        let rest = unstored
        unstored = []
        store(rest)
        return unstored.isEmpty
    }

    /// Gives the cache what was read, or keeps it until there is room: one batch at most, as nothing else is read before.
    private func store(_ found: [(file: GroupReading.Asked, reading: CachedReading)]) {
        // What has changed meanwhile is read again.
        let current = found.filter { !outdated.contains($0.file.key) }
        let table = documents.table
        guard
            house.cache.put(extractor, current.map { (table.version(of: $0.file), $0.reading) })
        else {
            unstored = found
            return
        }
        for (file, _) in found {
            if !outdated.contains(file.key), let row = table.row(ofUnchanged: file) {
                finish(file, row)
            } else {
                release(file.key)
            }
        }
    }

    /// Leaves a document alone for a while; at last for good, until its file changes.
    private func pause(_ file: GroupReading.Asked) {
        let row = documents.table.row(ofUnchanged: file)
        if let row, pauses.length(of: file.key) ?? .zero >= Self.longestPause {
            return finish(file, row)
        }
        if pauses.begin(file.key, at: house.loop.now) { rewindAll() }
        release(file.key)
    }

    /// A document has been looked through.
    private func finish(_ file: GroupReading.Asked, _ row: DocumentRow) {
        seen.insert(row)
        busy.remove(file.key)
        outdated.remove(file.key)
        pauses.end(file.key)
    }

    /// A document is looked at again.
    private func release(_ key: KeyNumber) {
        busy.remove(key)
        outdated.remove(key)
        if let row = documents.table.row(of: key) { rewind(to: row) }
    }
}
