// The pending edits of an array while changes are merged: disjoint replacements in ascending order, each
// with the number of unchanged rows since the previous one. As positions are relative, an edit that
// grows or shrinks shifts all that follow without touching them. Edits lie in chunks of at most 64 with
// the length they cover, so a position is found by summing chunks and then the spans of one chunk, both
// plain integers.
//
// Invariants: no edit is empty on both sides; no two edits touch (each gap but the first is at least 1);
// no chunk is empty; a chunk's length is the sum of its gaps and outputs.

/// The positions of the edits in a chunk.
struct EditChunk: Sendable {
    struct Span: Sendable {
        /// The number of unchanged rows since the previous edit.
        var gap: Int
        /// The number of inserted rows.
        var output: Int
    }

    var spans: [Span] = []
    var length = 0

    mutating func measure() {
        length = spans.reduce(0) { $0 + $1.gap + $1.output }
    }
}

/// Disjoint replacements by relative position.
@usableFromInline
struct EditList<Element> {
    struct Edit {
        var old: [Element]
        var new: [Element]
    }

    /// The position of an edit: its chunk, and its index there.
    private struct Place {
        var chunk: Int
        var edit: Int
    }

    static var capacity: Int {
        TestSettings.choose(inTests: 4, otherwise: 64)
    }

    private(set) var chunks: [EditChunk] = []
    /// The edits of each chunk. Stored apart from the spans, which are searched, because unspecialized
    /// code is slow to access anything that depends on the element type.
    private(set) var edits: [[Edit]] = []

    /// - Precondition: the modifications ascend and none touches the next.
    init(_ modifications: [ArrayModification<Element>]) {
        var end = 0
        for modification in modifications {
            append(
                Edit(old: modification.oldElements, new: modification.newElements),
                gap: modification.startIndex - end)
            end = modification.outputRange.upperBound
        }
    }

    @usableFromInline var isEmpty: Bool { chunks.isEmpty }

    @usableFromInline
    var modifications: [ArrayModification<Element>] {
        var result: [ArrayModification<Element>] = []
        result.reserveCapacity(edits.reduce(0) { $0 + $1.count })
        var position = 0
        for (chunk, edits) in zip(chunks, edits) {
            for (span, edit) in zip(chunk.spans, edits) {
                position += span.gap
                if let modification = ArrayModification(
                    replacing: edit.old, at: position, with: edit.new)
                {
                    result.append(modification)
                }
                position += span.output
            }
        }
        return result
    }

    private mutating func append(_ edit: Edit, gap: Int) {
        if chunks.last.map({ $0.spans.count >= Self.capacity / 2 }) ?? true {
            chunks.append(EditChunk())
            edits.append([])
        }
        let last = chunks.count - 1
        insert(edit, gap: gap, at: Place(chunk: last, edit: chunks[last].spans.count))
    }

    private mutating func insert(_ edit: Edit, gap: Int, at place: Place) {
        if place.chunk == chunks.count {
            chunks.append(EditChunk())
            edits.append([])
        }
        let span = EditChunk.Span(gap: gap, output: edit.new.count)
        chunks[place.chunk].spans.insert(span, at: place.edit)
        edits[place.chunk].insert(edit, at: place.edit)
        chunks[place.chunk].length += gap + span.output
        let count = chunks[place.chunk].spans.count
        guard count > Self.capacity else { return }
        var upper = EditChunk()
        upper.spans = Array(chunks[place.chunk].spans[(count / 2)...])
        let upperEdits = Array(edits[place.chunk][(count / 2)...])
        upper.measure()
        chunks[place.chunk].spans.removeSubrange((count / 2)...)
        edits[place.chunk].removeSubrange((count / 2)...)
        chunks[place.chunk].length -= upper.length
        chunks.insert(upper, at: place.chunk + 1)
        edits.insert(upperEdits, at: place.chunk + 1)
    }

    mutating func add(_ modification: ArrayModification<Element>) {
        defer { checkInvariants() }
        let lower = modification.startIndex
        let upper = lower + modification.inputCount
        guard modification.inputCount + modification.outputCount > 0 else { return }

        // The first edit that ends at or after the start, and the end of the edit before it.
        var place = Place(chunk: 0, edit: 0)
        var end = 0
        while place.chunk < chunks.count, end + chunks[place.chunk].length < lower {
            end += chunks[place.chunk].length
            place.chunk += 1
        }
        guard place.chunk < chunks.count else {
            append(
                Edit(old: modification.oldElements, new: modification.newElements),
                gap: lower - end)
            return
        }
        for span in chunks[place.chunk].spans {
            if end + span.gap + span.output >= lower { break }
            end += span.gap + span.output
            place.edit += 1
        }

        let first = chunks[place.chunk].spans[place.edit]
        let start = end + first.gap
        if start > upper {
            // No edit is touched: insert a new one in the gap before this one.
            setGap(start - upper, at: place)
            insert(
                Edit(old: modification.oldElements, new: modification.newElements),
                gap: lower - end, at: place)
            return
        }
        if start <= lower, touchesNothingAfter(place, end: start + first.output, upper: upper) {
            change(place, start: start, by: modification)
            return
        }
        join(from: place, end: end, with: modification)
    }

    /// Whether the edit after `place`, which ends at `end`, starts beyond `upper`.
    private func touchesNothingAfter(_ place: Place, end: Int, upper: Int) -> Bool {
        let following = Place(chunk: place.chunk, edit: place.edit + 1)
        guard let next = existing(following) else { return true }
        return end + chunks[next.chunk].spans[next.edit].gap > upper
    }

    /// The modification begins within the output of the edit, or at its end, and touches no other: only
    /// that edit changes, in place. So a run of neighbours that are removed one after the other costs no
    /// more than scattered ones.
    private mutating func change(
        _ place: Place, start: Int, by modification: ArrayModification<Element>
    ) {
        let lower = modification.startIndex - start
        let output = chunks[place.chunk].spans[place.edit].output
        let beyond = max(0, lower + modification.inputCount - output)
        let delta = modification.deltaCount + beyond
        if beyond > 0 {
            edits[place.chunk][place.edit].old.append(
                contentsOf: modification.oldElements.suffix(beyond))
            if let next = existing(Place(chunk: place.chunk, edit: place.edit + 1)) {
                setGap(chunks[next.chunk].spans[next.edit].gap - beyond, at: next)
            }
        }
        switch modification {
        case .insert(let new, _):
            edits[place.chunk][place.edit].new.insert(new, at: lower)
        default:
            let range = lower..<(lower + modification.inputCount - beyond)
            edits[place.chunk][place.edit].new.replaceSubrange(
                range, with: modification.newElements)
        }
        chunks[place.chunk].spans[place.edit].output += delta
        chunks[place.chunk].length += delta
        let edit = edits[place.chunk][place.edit]
        if edit.old.isEmpty, edit.new.isEmpty {
            remove(at: place)
        }
    }

    /// Joins the modification with all edits that it touches, starting at `place`; `end` is the end of
    /// the edit before that one.
    private mutating func join(
        from place: Place, end: Int, with modification: ArrayModification<Element>
    ) {
        let lower = modification.startIndex
        let upper = lower + modification.inputCount
        let taken = modification.oldElements
        let start = end + chunks[place.chunk].spans[place.edit].gap
        var old: [Element] = []
        var new: [Element] = []
        var tail: [Element] = []
        var position = end
        var known = lower  // up to here, what the modification takes away is in `old`
        var isFirst = true
        while let next = existing(place) {
            let span = chunks[next.chunk].spans[next.edit]
            let editStart = position + span.gap
            guard editStart <= upper else { break }
            let edit = edits[next.chunk][next.edit]
            let editEnd = editStart + span.output
            if known < editStart {
                old.append(contentsOf: taken[(known - lower)..<(editStart - lower)])
            }
            old.append(contentsOf: edit.old)
            if isFirst, editStart < lower {
                new.append(contentsOf: edit.new.prefix(lower - editStart))
            }
            if editEnd > upper {
                tail = Array(edit.new.suffix(editEnd - upper))
            }
            known = max(known, editEnd)
            position = editEnd
            isFirst = false
            removeSpan(at: next)
        }
        if known < upper { old.append(contentsOf: taken[(known - lower)...]) }
        new.append(contentsOf: modification.newElements)
        new.append(contentsOf: tail)

        // The following edits are now relative to the end of the joined edit.
        let joinedStart = min(start, lower)
        let joinedEnd = max(position, upper)
        if let next = existing(place) {
            let nextStart = position + chunks[next.chunk].spans[next.edit].gap
            setGap(nextStart - joinedEnd, at: next)
        }
        if old.isEmpty, new.isEmpty {
            if let next = existing(place) {
                let gap = chunks[next.chunk].spans[next.edit].gap
                setGap(gap + joinedStart - end, at: next)
            }
        } else {
            insert(Edit(old: old, new: new), gap: joinedStart - end, at: place)
        }
    }

    private func existing(_ place: Place) -> Place? {
        guard place.chunk < chunks.count else { return nil }
        if place.edit < chunks[place.chunk].spans.count { return place }
        return place.chunk + 1 < chunks.count ? Place(chunk: place.chunk + 1, edit: 0) : nil
    }

    private mutating func setGap(_ gap: Int, at place: Place) {
        chunks[place.chunk].length += gap - chunks[place.chunk].spans[place.edit].gap
        chunks[place.chunk].spans[place.edit].gap = gap
    }

    /// Removes an edit that has become empty; its rows join the gap after it.
    private mutating func remove(at place: Place) {
        let gap = chunks[place.chunk].spans[place.edit].gap
        removeSpan(at: place)
        if let next = existing(place) {
            setGap(gap + chunks[next.chunk].spans[next.edit].gap, at: next)
        }
    }

    private mutating func removeSpan(at place: Place) {
        let span = chunks[place.chunk].spans.remove(at: place.edit)
        edits[place.chunk].remove(at: place.edit)
        chunks[place.chunk].length -= span.gap + span.output
        if chunks[place.chunk].spans.isEmpty {
            chunks.remove(at: place.chunk)
            edits.remove(at: place.chunk)
        }
    }
}

extension EditList.Edit: Sendable where Element: Sendable {}

extension EditList: Sendable where Element: Sendable {}
