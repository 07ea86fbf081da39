// Which letters of a path a term is found in, so that it has the most points.
//
// For each letter of the term there is a list of the places where it is, each with the points of the best way
// to get there; a list follows from the one before it. A place is left out if the same letter further ahead, and
// a gap, are worth more. The first letter has no such rule: it begins anew wherever it is. Like fzf, this keeps
// one way for each place, the one with most points so far, even where another would have had the greater
// bonus later; so a few paths have fewer points than the best of all ways would give them.

/// The lists of places, reused for row after row.
struct FuzzyAlignment: ~Copyable {
    private struct Step {
        var place: Int32 = 0
        var points: Int32 = 0
        /// The number of letters found together up to here, from the one on that gives their bonus.
        var run: Int32 = 0
        /// The step before, by its index.
        var previous: Int32 = 0
    }

    private var steps: [Step] = []

    init() {}

    /// The points of a term of several letters; nil if they are not there in this order. Their places are
    /// appended to `places`, unless it is nil.
    /// - Complexity: O(term × path).
    mutating func points(
        of term: Span<UInt32>, in row: borrowing FuzzyRow, places: inout [Int]?
    ) -> Int32? {
        let keepsPlaces = places != nil
        // Nothing is found behind the last place of the last letter.
        let final = term[term.count - 1]
        var width = row.count
        while width > 0, row.scalars[width - 1] != final { width -= 1 }
        guard width >= term.count else { return nil }
        let room = keepsPlaces ? width * term.count : width * 2
        if steps.count < room { steps = Array(repeating: Step(), count: room) }
        var steps = steps.mutableSpan

        var list = Self.places(ofFirst: term[0], before: width - (term.count - 1), in: row, &steps)
        for index in 1..<term.count {
            guard !list.isEmpty else { return nil }
            // Only the list before is needed to make another, so that two parts take turns.
            let start = keepsPlaces ? list.upperBound : list.lowerBound == 0 ? width : 0
            list = Self.places(
                of: term[index], behind: list, before: width - (term.count - 1 - index), in: row,
                &steps, at: start)
        }
        guard !list.isEmpty else { return nil }
        var best = list.lowerBound
        for index in list where steps[index].points > steps[best].points { best = index }
        let points = steps[best].points
        if keepsPlaces {
            for _ in term.indices {
                places?.append(Int(steps[best].place))
                best = Int(steps[best].previous)
            }
        }
        return points
    }

    /// Makes the list of the places of the first letter, which are before `end`.
    private static func places(
        ofFirst letter: UInt32, before end: Int, in row: borrowing FuzzyRow,
        _ steps: inout MutableSpan<Step>
    ) -> Range<Int> {
        let scalars = row.scalars.span
        let bonuses = row.bonuses.span
        var count = 0
        for place in 0..<end where scalars[place] == letter {
            steps[count] = Step(
                place: Int32(place),
                points: FuzzyPoints.letter + 2 * Int32(bonuses[place]), run: 1)
            count += 1
        }
        return 0..<count
    }

    /// Makes the list of the places of a letter, at `start` of the steps, from that of the letter before it. They are
    /// before `end`.
    private static func places(
        of letter: UInt32, behind list: Range<Int>, before end: Int, in row: borrowing FuzzyRow,
        _ steps: inout MutableSpan<Step>, at start: Int
    ) -> Range<Int> {
        let scalars = row.scalars.span
        let bonuses = row.bonuses.span
        var count = start
        var before = list.lowerBound
        let first = Int(steps[before].place) + 1
        guard first < end else { return start..<start }
        for place in first..<end where scalars[place] == letter {
            while before + 1 < list.upperBound, Int(steps[before + 1].place) < place { before += 1 }
            let previous = steps[before]
            let gap = place - Int(previous.place) - 1
            var run: Int32 = 1
            var bonus = bonuses[place]
            var points = FuzzyPoints.letter
            if gap == 0 {
                points += previous.points
                let ofRun = bonuses[place - Int(previous.run)]
                if bonus < FuzzyPoints.boundary || bonus <= ofRun {
                    run += previous.run
                    bonus = max(bonus, ofRun, FuzzyPoints.together)
                }
            } else {
                points += FuzzyPoints.points(previous.points, afterGapOf: gap)
            }
            points += Int32(bonus)
            if count > start {
                let ahead = steps[count - 1]
                let onward = FuzzyPoints.points(
                    ahead.points, afterGapOf: place - Int(ahead.place))
                if points < onward { continue }
            }
            steps[count] = Step(
                place: Int32(place), points: points, run: run, previous: Int32(before))
            count += 1
        }
        return start..<count
    }

    /// The last place where a term can begin: the others of its letters are behind, in their order. Nil if there
    /// is none.
    /// - Complexity: O(path).
    static func lastStart(of term: Span<UInt32>, in row: borrowing FuzzyRow) -> Int? {
        let scalars = row.scalars.span
        var left = term.count
        var place = row.count
        while place > 0, left > 0 {
            place -= 1
            if scalars[place] == term[left - 1] { left -= 1 }
        }
        return left == 0 ? place : nil
    }

    /// The points of a term from the last place where it can begin, each other letter where it comes first
    /// behind. For paths that are too long for the best. Nil if the term is not there. The places are appended to
    /// `places`, unless it is nil.
    /// - Complexity: O(path).
    static func lastPoints(
        of term: Span<UInt32>, in row: borrowing FuzzyRow, places: inout [Int]?
    ) -> Int32? {
        guard let start = lastStart(of: term, in: row) else { return nil }
        let scalars = row.scalars.span
        let bonuses = row.bonuses.span
        places?.append(start)
        var points = FuzzyPoints.letter + 2 * Int32(bonuses[start])
        var ofRun = bonuses[start]
        var previous = start
        var next = 1
        var place = start
        while next < term.count {
            place += 1
            guard scalars[place] == term[next] else { continue }
            var bonus = bonuses[place]
            if previous + 1 < place {
                points = FuzzyPoints.points(points, afterGapOf: place - previous - 1)
                ofRun = bonus
            } else {
                if bonus >= FuzzyPoints.boundary { ofRun = max(ofRun, bonus) }
                bonus = max(bonus, ofRun, FuzzyPoints.together)
            }
            points += FuzzyPoints.letter + Int32(bonus)
            places?.append(place)
            previous = place
            next += 1
        }
        return points
    }
}
