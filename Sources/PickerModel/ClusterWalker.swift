// One side of the search over clusters: the rules are in ClusterSearch.swift.

/// One of the two texts, and where the walk is in it.
struct ClusterWalker {
    static let clusterLimit = 64
    static let joiner: UInt16 = 0x200D

    let units: [UInt16]
    /// Index of the unit, or the cluster, at hand.
    var position = 0
    /// How many units the thing at hand takes.
    var width = 1
    /// The folded cluster; `pending` scalars of it are in use, 0 while the walk is between them.
    var cluster = InlineArray<64, UInt32>(repeating: 0)
    var pending = 0
    /// The next one of the pending scalars.
    var next = 0
    /// The last cluster that was folded: where, how many scalars, how many units.
    var foldedAt = 0
    var foldedCount = 0
    var foldedWidth = 0
    /// Until where nothing is folded: the end of an overlong cluster, or 0.
    var rawUntil = 0

    init(units: [UInt16]) {
        self.units = units
    }

    func unit(_ index: Int) -> UInt16 {
        units.indices.contains(index) ? units[index] : 0
    }

    /// The scalar that starts at `index`, and its units; a lone surrogate is taken as it is.
    func scalar(_ index: Int) -> (value: UInt32, width: Int) {
        let first = unit(index)
        let value = joined(UInt32(first), at: index)
        return (value ?? UInt32(first), value == nil ? 1 : 2)
    }

    private func joined(_ value: UInt32, at index: Int) -> UInt32? {
        let first = UInt16(truncatingIfNeeded: value)
        guard UTF16.isLeadSurrogate(first) else { return nil }
        let second = unit(index + 1)
        guard UTF16.isTrailSurrogate(second) else { return nil }
        return 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
    }

    /// What the letter at `index` is compared as, if it has no marks, is one unit, and folds to
    /// one that is: then a walk from it starts with that, and leaves nothing to be remembered.
    func plainLetter(_ index: Int) -> UInt32? {
        guard rawUntil == 0 else { return nil }
        let value = UInt32(unit(index))
        let next = UInt32(unit(index + 1))
        guard next < 0x300 || next < 0xD800 && !ScalarFold.isMark(next) else { return nil }
        if value < 0x80 { return 0x41...0x5A ~= value ? value + 0x20 : value }
        guard !(0xD800...0xDFFF ~= value) else { return nil }
        let fold = ScalarFold(ofValue: value)
        return fold.kind == .itself || fold.kind == .single ? fold.target : nil
    }

    mutating func start(at index: Int) {
        position = index
        pending = 0
    }

    mutating func forgetCluster() {
        foldedAt = 0
        foldedCount = 0
        foldedWidth = 0
        rawUntil = 0
    }

    /// The unit at hand in lower case, or the next scalar of the pending cluster.
    mutating func take() -> UInt32 {
        guard pending == 0 else {
            next += 1
            return cluster[next - 1]
        }
        width = 1
        let value = UInt32(unit(position))
        return 0x41...0x5A ~= value ? value + 0x20 : value
    }

    mutating func joinSurrogates(_ value: UInt32) -> UInt32 {
        guard let joined = joined(value, at: position) else { return value }
        width = 2
        return joined
    }

    mutating func leaveClusterIfDone() {
        if pending > 0, next == pending { pending = 0 }
        if pending == 0 { position += width }
    }

    var mayFold: Bool { rawUntil == 0 || rawUntil == position }

    enum Source { case remembered, folded }

    /// Folds the cluster at hand, unless it lies in the one folded last.
    mutating func fold(_ value: UInt32) -> Source {
        rawUntil = 0
        next = position - foldedAt + 1
        let lies = position >= foldedAt && position < foldedAt + foldedWidth
        if foldedCount > 0, lies, next < foldedCount {
            pending = foldedCount
            return .remembered
        }
        let isWhole = foldCluster(value)
        foldedCount = pending
        foldedAt = position
        foldedWidth = width
        if !isWhole { rawUntil = endOfCluster() }
        return .folded
    }

    /// Where the letters end that belong together with the one at `position`: a base, its marks,
    /// and further letters that a virama or a joiner ties to it.
    private func endOfCluster() -> Int {
        var start = position
        while start > 0, ScalarFold.isMark(scalar(start).value) {
            start -= 1
            if start > 0, UTF16.isTrailSurrogate(unit(start)) { start -= 1 }
        }
        var (end, isTied) = endOfMarks(from: start)
        while isTied {
            let next = unit(end) == ClusterWalker.joiner ? end + 1 : end
            guard UnicodeFacts.isLetter(scalar(next).value) else { break }
            (end, isTied) = endOfMarks(from: next)
        }
        return unit(end) == ClusterWalker.joiner ? end + 1 : end
    }

    /// The end of the marks after the scalar at `start`, and whether the last of them ties.
    private func endOfMarks(from start: Int) -> (end: Int, isTied: Bool) {
        var end = start + scalar(start).width
        while case let (value, width) = scalar(end), ScalarFold.isMark(value) { end += width }
        let last = unit(end - 1)
        return (end, last == ClusterWalker.joiner || UnicodeFacts.combiningClass(UInt32(last)) == 9)
    }

    /// Writes the folded cluster that starts with `value` at `position`, sets `pending`, and
    /// `width` if there is anything to fold. False if the cluster was longer than there is room.
    private mutating func foldCluster(_ value: UInt32) -> Bool {
        pending = 0
        guard value != 0 else { return true }
        var count = 0
        var end = position + (value > 0xFFFF ? 2 : 1)
        var keepsMarks = value >= UnicodeFacts.firstWithMarks
        if value >= 0x80 {
            let folded = ScalarFold(ofValue: value).folded
            keepsMarks = folded.keepsMarks
            for scalar in folded.scalars {
                cluster[count] = scalar
                count += 1
            }
        }
        var isWhole = true
        if count == 0 {
            cluster[0] = value
            let (mark, markWidth) = scalar(end)
            if keepsMarks {
                if ScalarFold.isMark(mark) {
                    count = 1
                    // The first mark after an unchanged base is kept by its own number.
                    if mark >= UnicodeFacts.firstWithMarks {
                        isWhole = append(mark, &count)
                    }
                    end += markWidth
                } else {
                    keepsMarks = false
                }
            }
        }
        var isEnded = false
        while count < ClusterWalker.clusterLimit {
            let (mark, markWidth) = scalar(end)
            guard ScalarFold.isMark(mark) else {
                isEnded = true
                break
            }
            if keepsMarks {
                guard append(mark, &count) else { break }
            } else if count == 0 {
                count = 1
            }
            end += markWidth
        }
        sortMarks(count)
        pending = count
        if count > 0 { width = end - position }
        return isWhole && isEnded
    }

    private mutating func append(_ mark: UInt32, _ count: inout Int) -> Bool {
        let parts = ScalarFold.decomposition(ofMark: mark)
        guard !parts.isEmpty else {
            cluster[count] = mark
            count += 1
            return true
        }
        guard count + parts.count <= ClusterWalker.clusterLimit else { return false }
        for part in parts {
            cluster[count] = part
            count += 1
        }
        return true
    }

    /// Puts the marks at the end in the order of their combining classes, equal ones as they were.
    private mutating func sortMarks(_ count: Int) {
        guard count > 1 else { return }
        var first = count - 1
        while first > 0, ScalarFold.isMark(cluster[first]) { first -= 1 }
        while first < count, UnicodeFacts.combiningClass(cluster[first]) == 0 { first += 1 }
        guard count - first > 1 else { return }
        for index in first + 1..<count {
            let mark = cluster[index]
            let order = UnicodeFacts.combiningClass(mark)
            var slot = index
            while slot > first, UnicodeFacts.combiningClass(cluster[slot - 1]) > order {
                cluster[slot] = cluster[slot - 1]
                slot -= 1
            }
            cluster[slot] = mark
        }
    }
}
