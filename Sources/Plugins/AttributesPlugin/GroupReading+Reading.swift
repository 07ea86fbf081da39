internal import AttributeStorage
internal import EventLoops
internal import ListRequests
internal import PickerModel
internal import PluginInterface

// The batches of the reader, and what becomes of them.
extension GroupReading {
    /// Gives the reader what waits, as far as it has room.
    func send() {
        while reader.room > batches, !waiting.isEmpty {
            let (files, isUrgent) = takeBatch()
            if files.isEmpty { return }
            send(files, isUrgent)
        }
    }

    private func takeBatch() -> (files: [Asked], isUrgent: Bool) {
        var files: [Asked] = []
        let most = reader.mostFiles
        func take(_ key: KeyNumber) -> Bool {
            guard let file = waiting[key] else { return true }
            if suspects.contains(key) {
                // Alone, so that it is known which one it was.
                if files.isEmpty {
                    waiting[key] = nil
                    files = [file]
                }
                return false
            }
            waiting[key] = nil
            files.append(file)
            return files.count < most
        }
        let views: [() -> [DocumentRow]] = [{ self.rowsInView }, { self.rowsNearby }]
        for rows in views {
            for row in rows() where !take(documents.table.key(of: row)) { return (files, true) }
            // Those in view go alone, so that they wait for no others.
            if !files.isEmpty { return (files, true) }
        }
        while let key = queue.first {
            let goesOn = take(key)
            if waiting[key] == nil { queue.removeFirst() }
            if !goesOn { break }
        }
        return (files, false)
    }

    func send(_ asked: [Asked], _ isUrgent: Bool) {
        let table = documents.table
        var files: [Asked] = []
        var sent: [ReadingBatch.File] = []
        for file in asked {
            guard let row = table.row(ofUnchanged: file) else {
                suspects.remove(file.key)
                release(file.key)
                continue
            }
            files.append(file)
            sent.append(table.fileToRead(row, file.key))
        }
        if files.isEmpty { return pumpSoon() }
        again.subtract(files.map(\.key))
        batches += 1
        readCount += files.count
        let batch = ReadingBatch(
            group: offer.group, wanted: names.keys.sorted(), isUrgent: isUrgent,
            isAlone: files.contains { suspects.contains($0.key) }, files: sent)
        reader.read(batch) { [weak self] outcome in
            guard let self, !hasEnded else { return }
            batches -= 1
            readCount -= files.count
            take(outcome, files, isAlone: batch.isAlone)
            pumpSoon()
        }
    }

    func take(_ outcome: ReadingOutcome, _ files: [Asked], isAlone: Bool) {
        // Each task of the cache is a transaction, so it gets many at once: the rest with the next commit.
        defer { if found.count >= Self.mostAsked { store() } }
        switch outcome {
        case .answers(let answers):
            for (file, answer) in zip(files, answers) { take(answer, file) }
        case .ended(let isFault):
            for file in files {
                if isFault, condemns(file, isAlone: isAlone) { continue }
                wait(file)
            }
        case .refused:
            // In smaller parts it may do: alone, in the end.
            for file in files {
                if files.count == 1 {
                    pause(file.key)
                } else {
                    suspects.add(file.key)
                    wait(file)
                }
            }
        }
    }

    /// Gives the cache what was read.
    func store() {
        house.cache.put(extractor, found)
        found = []
    }

    func wait(_ file: Asked) {
        waiting[file.key] = file
        queue.append(file.key)
    }

    /// Notes that the reader fell while it had a file.
    /// - Returns: whether that is enough: the file has failed.
    private func condemns(_ file: Asked, isAlone: Bool) -> Bool {
        guard suspects.condemns(file.key, isAlone: isAlone) else { return false }
        found.append((documents.table.version(of: file), .failed))
        commits.add(file, [], isFailed: true)
        return true
    }

    func take(_ answer: ReadingOutcome.Answer, _ file: Asked) {
        suspects.remove(file.key)
        switch answer {
        case .values(let values, let seen): take(values, seen, file)
        case .none(let seen): take([:], seen, file)
        case .failed:
            note(.failed, of: file)
            commits.add(file, [], isFailed: true)
        case .later: pause(file.key)
        }
    }

    func take(
        _ values: [String: AttributeValue], _ seen: ReadingOutcome.Seen?, _ file: Asked
    ) {
        let facts = file.facts
        let expected = ReadingOutcome.Seen(
            inode: facts.inode, size: facts.size, modified: facts.modified)
        // Another file by now, which the watcher will tell of.
        guard let seen, seen == expected else { return pause(file.key) }
        note(.values(values), of: file)
        commits.add(file, ordered(values), isFailed: false)
    }

    /// Notes for the cache what was read, unless that was so before a change.
    private func note(_ reading: CachedReading, of file: Asked) {
        if !isOutdated(file.key) { found.append((documents.table.version(of: file), reading)) }
    }

    /// Values in the order of the attributes.
    private func ordered(_ values: [String: AttributeValue]) -> ArraySlice<AttributeValue?> {
        if values.isEmpty { return [] }
        return attributes.map { name, kind in
            values[name].flatMap { $0.kind == kind ? $0 : nil }
        }[...]
    }

    /// Leaves a document alone for a while.
    private func pause(_ key: KeyNumber) {
        if pauses.begin(key, at: house.loop.now) { rewind() }
        release(key)
        arm()
    }

    private func release(_ key: KeyNumber) {
        busy.remove(key)
        again.remove(key)
        if let row = documents.table.row(of: key) { rewind(to: row) }
    }

    func isUnread(_ key: KeyNumber) -> Bool {
        documents.table.row(of: key).map { !read.contains($0) } ?? false
    }

    /// Looks at all documents again for what is to be read.
    func rewind() {
        for selection in selections.values { selection.place = 0 }
    }

    /// Looks at a document again, and those behind it.
    func rewind(to row: DocumentRow) {
        for selection in selections.values { selection.rewind(to: row) }
    }

    func committed(_ files: [Asked], forgotten: [KeyNumber]) {
        store()
        // They are other rows now.
        for key in forgotten where !busy.contains(key) { release(key) }
        for file in files {
            if again.remove(file.key) != nil, let row = documents.table.row(of: file.key) {
                read.remove(row)
            }
            if isUnread(file.key) {
                // It has changed meanwhile.
                release(file.key)
            } else {
                busy.remove(file.key)
                pauses.end(file.key)
                stale.end(file.key)
            }
        }
        pumpSoon()
        house.countSoon()
    }
}
