internal import AttributeStorage
internal import EventLoops
internal import ListRequests
internal import PickerModel
internal import PluginInterface

// What is read next: documents in view first, and what the cache knows of them.
extension GroupReading {
    func pumpSoon() {
        if isPumping || hasEnded { return }
        isPumping = true
        house.loop.enqueue(priority: .low) { [weak self] in
            guard let self else { return }
            isPumping = false
            if hasEnded { return }
            ask()
            send()
            checkInvariants()
            if !isAtWork { house.background?.goOn() }
        }
    }

    /// Asks the cache about the next documents.
    private func ask() {
        while questions < Self.mostQuestions, waiting.count < Self.mostWaiting {
            let (files, isMore) = next()
            if !files.isEmpty { ask(files) }
            if isMore, files.count < Self.mostAsked { return pumpSoon() }
            if files.count < Self.mostAsked { return }
        }
    }

    private func ask(_ files: [Asked]) {
        questions += 1
        askedCount += files.count
        for file in files { busy.insert(file.key) }
        let versions = documents.table.versions(of: files)
        house.cache.find(extractor, versions, attributes) { [weak self] found in
            guard let self, !hasEnded else { return }
            questions -= 1
            askedCount -= files.count
            for (index, file) in files.enumerated() {
                switch isOutdated(file.key) ? .unknown : found.states[index] {
                case .read: commits.add(file, found.values(of: index), isFailed: false)
                case .failed: commits.add(file, [], isFailed: true)
                case .unknown:
                    waiting[file.key] = file
                    queue.append(file.key)
                }
            }
            pumpSoon()
        }
    }

    /// The next documents to be asked about: those in view first. And whether there may be more behind what was looked at.
    func next() -> (files: [Asked], isMore: Bool) {
        var files: [Asked] = []
        var taken: Set<KeyNumber> = []
        let now = house.loop.now
        func take(_ row: DocumentRow) {
            let key = documents.table.key(of: row)
            guard !busy.contains(key), !pauses.contains(key, at: now), taken.insert(key).inserted
            else { return }
            files.append(Asked(key: key, facts: documents.table.facts(of: row)))
        }
        let views: [() -> [DocumentRow]] = [{ self.rowsInView }, { self.rowsNearby }]
        for rows in views where files.count < Self.mostAsked {
            for row in rows() where files.count < Self.mostAsked { take(row) }
        }
        var words = Self.wordsAtOnce
        for selection in selections.values {
            guard let rows = selection.rows, let place = selection.place else { continue }
            if files.count >= Self.mostAsked || words <= 0 { return (files, true) }
            selection.place = read.forEachUnread(in: rows, from: place, words: words) { row in
                take(row)
                return files.count < Self.mostAsked
            }
            words -= (selection.place ?? max(rows.wordCount, place)) - place
            if selection.place != nil { return (files, true) }
        }
        return (files, false)
    }

    /// Unread documents that somebody looks at, or waits for, and that may have the attributes.
    var rowsInView: [DocumentRow] {
        var rows: [DocumentRow] = []
        var left = Self.mostInView
        for use in users {
            let shown = use.viewer?.shownRows.prefix(left) ?? []
            left -= shown.count
            rows += shown.compactMap { unread($0) }
            rows += awaited[ObjectIdentifier(use)]?.unread(read, atMost: Self.mostAsked) ?? []
        }
        return rows
    }

    /// Unread documents at which somebody may look next, and that may have the attributes.
    var rowsNearby: [DocumentRow] {
        var rows: [DocumentRow] = []
        var left = Self.mostInView
        for use in users where left > 0 {
            let nearby = use.viewer?.rowsNearby(atMost: left).prefix(left) ?? []
            left -= nearby.count
            rows += nearby.compactMap { unread($0) }
        }
        return rows
    }

    /// The document of a row that somebody was shown, unless it has been read or has none of the attributes.
    private func unread(_ shown: ShownRow) -> DocumentRow? {
        guard let old = shown.item?.row,
            let row = documents.table.row(of: documents.table.key(of: old)),
            !read.contains(row), mayHave(row)
        else { return nil }
        return row
    }

    func mayHave(_ row: DocumentRow) -> Bool {
        var steps = 0
        return offer.condition?.matches(row, of: documents.table, steps: &steps) ?? true
    }
}
