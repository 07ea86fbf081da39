// Search for names and texts with combining marks, ligatures, joining letters or emoji sequences.
//
// Foundation walks both texts by UTF-16 unit. Where two units differ, it folds the whole cluster
// (a base and the marks after it) that starts there, and goes on inside of the folded cluster; it
// remembers the name's last cluster from one starting place to the next. What it finds depends on
// that walk and not on any folding of the texts, so an equal answer needs the same walk: this is
// it, with the same states, for the few names for which the search by bytes would not be equal.
//
// The rules that are easy to miss:
//   - a match may not end inside of a folded cluster, unless only marks of a Latin, Greek or
//     Cyrillic letter are left in it;
//   - marks that only one text has are passed over, but not at the first letter of a match;
//   - behind the end of a text there are NULs;
//   - a cluster is folded up to 64 scalars; the rest of a longer one is compared as it is.

/// A search text for walks, with what a match can begin with.
struct ClusterText: Sendable {
    let units: [UInt16]
    /// The first scalar, in lower case if ASCII.
    let first: UInt32
    /// The first scalar of its folded cluster; the same as `first` if that doesn't fold.
    let firstFolded: UInt32

    init(_ text: String) {
        units = Array(text.utf16)
        var walker = ClusterWalker(units: units)
        first = walker.joinSurrogates(walker.take())
        _ = walker.fold(first)
        firstFolded = walker.pending > 0 ? walker.cluster[0] : first
    }
}

/// The walk over one name for one search text.
struct ClusterSearch {
    private var name: ClusterWalker
    private var text: ClusterWalker
    private let beginning: ClusterText
    /// A walk that goes back and forth without end would be a hostile pair of texts.
    private var stepsLeft: Int

    init(name: String, text: ClusterText) {
        self.name = ClusterWalker(units: Array(name.utf16))
        self.text = ClusterWalker(units: text.units)
        beginning = text
        stepsLeft =
            8 * (self.name.units.count + 1) * (text.units.count + ClusterWalker.clusterLimit)
    }

    /// Whether the name contains the text; neither if one is empty.
    /// - Complexity: O(name × text) at worst, near O(name) for usual texts.
    mutating func run() -> Bool {
        guard !text.units.isEmpty else { return false }
        for start in name.units.indices {
            // Most starting places need no walk: the name's letter there is not the text's first.
            if let letter = name.plainLetter(start), letter != beginning.first,
                letter != beginning.firstFolded
            {
                continue
            }
            if matches(from: start) { return true }
        }
        return false
    }

    private mutating func matches(from start: Int) -> Bool {
        name.start(at: start)
        text.start(at: 0)
        text.forgetCluster()
        while text.position < text.units.count {
            stepsLeft -= 1
            guard stepsLeft > 0 else { return false }
            let left = name.take()
            let right = text.take()
            if left != right {
                guard left >= 0x80 || right >= 0x80 else { return false }
                guard agree(left, right, start: start) else { return false }
            }
            name.leaveClusterIfDone()
            text.leaveClusterIfDone()
        }
        return endsWell()
    }

    /// Whether two things that differ at first sight are the same once folded, or may be skipped.
    private mutating func agree(_ left: UInt32, _ right: UInt32, start: Int) -> Bool {
        var left = name.joinSurrogates(left)
        var right = text.joinSurrogates(right)
        if name.position > start {
            let skipsLeft = name.pending == 0 && ScalarFold.isMark(left)
            if skipsLeft { left = right }
            let skipsRight = text.pending == 0 && ScalarFold.isMark(right)
            if skipsRight { right = left }
            if skipsLeft, !skipsRight { text.position -= text.width }
            if skipsRight, !skipsLeft { name.position -= name.width }
        }
        if left != right {
            guard foldBoth(left, right) else { return false }
        }
        if name.pending > 0, text.pending > 0 {
            while name.next < name.pending, text.next < text.pending {
                guard name.cluster[name.next] == text.cluster[text.next] else { return false }
                name.next += 1
                text.next += 1
            }
        }
        return true
    }

    private mutating func foldBoth(_ left: UInt32, _ right: UInt32) -> Bool {
        var left = left
        if name.pending == 0, name.mayFold {
            switch name.fold(left) {
            case .remembered:
                left = name.cluster[name.next - 1]
            case .folded where name.pending > 0:
                left = name.cluster[0]
                name.next = 1
            case .folded:
                break
            }
        }
        if name.pending == 0, text.pending > 0 { return false }
        guard text.pending == 0, name.pending == 0 || left != right else { return true }
        guard text.mayFold else { return left == right }
        switch text.fold(right) {
        case .remembered:
            return left == text.cluster[text.next - 1]
        case .folded:
            guard text.pending > 0, left == text.cluster[0] else { return false }
            text.next = 1
            return true
        }
    }

    /// The text is used up: whether the match may end here.
    private func endsWell() -> Bool {
        guard name.pending > 0 else { return true }
        guard name.cluster[0] < UnicodeFacts.firstWithMarks else { return false }
        return (name.next..<name.pending).allSatisfy { index in
            let value = name.cluster[index]
            return value < 0x10000
                ? ScalarFold.isMark(value) : !UnicodeFacts.decomposition(value).isEmpty
        }
    }
}
