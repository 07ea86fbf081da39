// Many changes of sorted rows at once. The changed elements are sorted, and each is searched from where the one before
// was found, in steps that double: neighbours cost a few comparisons, and all of them no more than a pass over the
// rows. Then each chunk with changes is written once, and so is each modification.

/// When many changes are made at once.
@usableFromInline
enum BulkChange {
    /// The fewest elements.
    @usableFromInline static var least: Int {
        TestSettings.choose(inTests: 3, otherwise: 32)
    }

    /// One search among all chunks, and the update of their index, cost as much as passing so many chunks.
    @usableFromInline static var chunksPerElement: Int { 32 }
}

/// A modification that grows at its end, of rows that are passed in ascending order.
@usableFromInline
struct GrowingModification<Element> {
    @usableFromInline var old: [Element] = []
    @usableFromInline var new: [Element] = []
    /// The rows that it replaces, counted before all changes.
    @usableFromInline var rows = 0..<0
    /// The rows that earlier modifications have added.
    @usableFromInline var growth = 0

    @inlinable
    init() {}

    /// Goes on at a row, in a new modification if rows have been passed since the last.
    @inlinable
    mutating func begin(at row: Int, _ change: inout ArrayChange<Element>) {
        if row == rows.upperBound { return }
        end(&change)
        rows = row..<row
    }

    @inlinable
    mutating func insert(
        _ element: Element, at row: Int, _ change: inout ArrayChange<Element>
    ) {
        begin(at: row, &change)
        new.append(element)
    }

    @inlinable
    mutating func remove(
        _ element: Element, at row: Int, _ change: inout ArrayChange<Element>
    ) {
        begin(at: row, &change)
        old.append(element)
        rows = rows.lowerBound..<(row + 1)
    }

    /// Adds the modification to the change, if there is one.
    @inlinable
    mutating func end(_ change: inout ArrayChange<Element>) {
        guard
            let modification = ArrayModification(
                replacing: old, at: rows.lowerBound + growth, with: new)
        else { return }
        growth += new.count - old.count
        old = []
        new = []
        change.add(modification)
    }
}

extension ChunkedRows {
    /// The first row from `start` on for which `predicate` holds, in a list in which it holds for all later rows, too;
    /// the end if there is none.
    ///
    /// - Complexity: O(log *d*) calls for a row *d* rows away.
    @inlinable
    func partitioningPlace(from start: Place, where predicate: (Element) -> Bool) -> Place {
        var low = start.chunk
        if low + 1 < chunks.count, !predicate(lasts[low]) {
            // The last chunk with rows before that one is known to be `known`.
            var known = low
            var step = 1
            while known + step < chunks.count - 1, !predicate(lasts[known + step]) {
                known += step
                step *= 2
            }
            low = known + 1
            var high = min(known + step, chunks.count - 1)
            while low < high {
                let middle = (low + high) / 2
                if predicate(lasts[middle]) { high = middle } else { low = middle + 1 }
            }
        }
        let chunk = chunks[low]
        var lower = low == start.chunk ? start.offset : 0
        var upper = chunk.count
        var step = 1
        while lower + step <= upper {
            if predicate(chunk[lower + step - 1]) {
                upper = lower + step - 1
                break
            }
            lower += step
            step *= 2
        }
        while lower < upper {
            let middle = (lower + upper) / 2
            if predicate(chunk[middle]) { upper = middle } else { lower = middle + 1 }
        }
        return Place(chunk: low, offset: lower)
    }

    /// Adds rows behind those of some chunks: to the last of these, if either is small.
    @inlinable
    static func append(_ rows: [Element], to chunks: inout [[Element]]) {
        if rows.isEmpty { return }
        let least = ChunkCapacity.rows / 4
        if let last = chunks.last?.count, min(last, rows.count) < least,
            last + rows.count <= ChunkCapacity.fill
        {
            chunks[chunks.count - 1].append(contentsOf: rows)
        } else if rows.count > ChunkCapacity.rows {
            chunks.append(contentsOf: split(rows))
        } else {
            chunks.append(rows)
        }
    }
}

extension ChunkedRows.Place {
    @inlinable
    func isBefore(_ other: Self) -> Bool {
        chunk == other.chunk ? offset < other.offset : chunk < other.chunk
    }
}

extension ChunkedRows where Element: Equatable {
    /// Removes and inserts sorted elements at once.
    ///
    /// - Returns: Whether that was possible: not if an element is not where the order puts it.
    @inlinable
    mutating func applyBulk(
        removed: [KeyedElement<Element>], inserted: [KeyedElement<Element>],
        by order: RowComparator<Element>, _ key: (Element) -> UInt64,
        to change: inout ArrayChange<Element>
    ) -> Bool {
        guard let leaving = places(of: removed, by: order, key) else { return false }
        var arriving: [Place] = []
        arriving.reserveCapacity(inserted.count)
        var place = Place(chunk: 0, offset: 0)
        for element in inserted {
            place = partitioningPlace(from: place) { element.precedes(row: $0, by: order, key) }
            arriving.append(place)
        }
        rewrite(leaving, inserted, at: arriving, to: &change)
        return true
    }

    /// The positions of sorted elements, ascending; `nil` if one is not where the order puts it.
    @inlinable
    func places(
        of elements: [KeyedElement<Element>], by order: RowComparator<Element>,
        _ key: (Element) -> UInt64
    ) -> [Place]? {
        var found: [Place] = []
        found.reserveCapacity(elements.count)
        var start = Place(chunk: 0, offset: 0)
        var next = 0
        while next < elements.count {
            let first = elements[next]
            start = partitioningPlace(from: start) { !first.follows(row: $0, by: order, key) }
            let known = found.count
            // Elements that tie may be found in any order.
            repeat {
                guard
                    let place = place(
                        of: elements[next], from: start, by: order, key,
                        except: { place in
                            found[known...].contains {
                                $0.chunk == place.chunk && $0.offset == place.offset
                            }
                        })
                else { return nil }
                found.append(place)
                next += 1
            } while next < elements.count && !first.precedes(elements[next], by: order)
            if found.count - known > 1 { found[known...].sort { $0.isBefore($1) } }
            start = found[found.count - 1]
            start.offset += 1
        }
        return found
    }

    /// Writes the chunks with changes anew. All positions are those before the change, ascending.
    @inlinable
    mutating func rewrite(
        _ leaving: [Place], _ inserted: [KeyedElement<Element>], at arriving: [Place],
        to change: inout ArrayChange<Element>
    ) {
        defer { checkInvariants() }
        var result: [[Element]] = []
        result.reserveCapacity(chunks.count + inserted.count / ChunkCapacity.fill + 1)
        var growing = GrowingModification<Element>()
        var first = 0
        var (out, new) = (0, 0)
        for (number, chunk) in chunks.enumerated() {
            defer { first += chunk.count }
            let isLeft = out < leaving.count && leaving[out].chunk == number
            guard isLeft || new < arriving.count && arriving[new].chunk == number else {
                Self.append(chunk, to: &result)
                continue
            }
            var rows: [Element] = []
            rows.reserveCapacity(chunk.count)
            var kept = 0
            while true {
                let left =
                    out < leaving.count && leaving[out].chunk == number ? leaving[out].offset : nil
                let arrived =
                    new < arriving.count && arriving[new].chunk == number
                    ? arriving[new].offset : nil
                guard let offset = arrived.map({ min($0, left ?? $0) }) ?? left else { break }
                rows.append(contentsOf: chunk[kept..<offset])
                kept = offset
                if arrived == offset {
                    let element = inserted[new].element
                    rows.append(element)
                    growing.insert(element, at: first + offset, &change)
                    new += 1
                } else {
                    growing.remove(chunk[offset], at: first + offset, &change)
                    kept += 1
                    out += 1
                }
            }
            rows.append(contentsOf: chunk[kept...])
            Self.append(rows, to: &result)
        }
        growing.end(&change)
        chunks = result.isEmpty ? [[]] : result
        rebuildIndex()
    }
}
