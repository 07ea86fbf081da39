// Two runs are merged from both ends at once (an idea of Orson Peters's glidesort): the two halves of
// the work do not wait for each other. As long as each half takes at most as many rows as the shorter
// run has, neither can leave the run, so no bounds checks are needed. Each row is chosen without a
// branch, because a branch on a comparison is mispredicted every other time.

/// Two adjacent sorted runs that are being merged. Their lengths differ by at most one.
@usableFromInline
struct RunPair {
    @usableFromInline let start: Int
    @usableFromInline let middle: Int
    @usableFromInline let end: Int
    /// The number of rows taken from each end.
    @usableFromInline var steps = 0
    /// The first row of each run that has not been taken.
    @usableFromInline var left: Int
    @usableFromInline var right: Int
    /// The last row of each run that has not been taken.
    @usableFromInline var lastLeft: Int
    @usableFromInline var lastRight: Int
    @usableFromInline var isMerged = false

    @inlinable
    init(start: Int, middle: Int, end: Int) {
        assert(abs((end - middle) - (middle - start)) <= 1)
        self.start = start
        self.middle = middle
        self.end = end
        left = start
        right = middle
        lastLeft = middle - 1
        lastRight = end - 1
    }

    @inlinable
    var taken: Int { isMerged ? end - start : 2 * steps }

    /// Merges about `budget` rows. The pair must lie within both `source` and `target`.
    @inlinable
    mutating func merge<Element>(
        _ source: UnsafePointer<OrderEntry<Element>>,
        _ target: UnsafeMutablePointer<OrderEntry<Element>>, budget: Int,
        by order: RowComparator<Element>
    ) {
        let total = min(middle - start, end - middle)
        let goal = budget / 2 < total - steps ? steps + budget / 2 + 1 : total
        unsafe mergeFromBothEnds(source, target, until: goal, by: order)
        guard steps == total else { return }
        isMerged = true
        let rest = (lastLeft - left + 1, lastRight - right + 1)
        if rest.0 < 0 || rest.1 < 0 {
            // The comparator is inconsistent, and some rows were taken from both ends.
            unsafe mergeFromFront(source, target, by: order)
        } else if rest != (0, 0) {
            unsafe target[start + steps] = source[rest.0 > 0 ? left : right]
        }
    }

    /// Before the *k*-th step, `left` and `right` have advanced *k* steps together, and the other two
    /// have gone back as many. There are no more steps than rows in the shorter run, so the four
    /// pointers are within their runs in each step, whatever the comparator returns.
    @inlinable
    mutating func mergeFromBothEnds<Element>(
        _ source: UnsafePointer<OrderEntry<Element>>,
        _ target: UnsafeMutablePointer<OrderEntry<Element>>, until goal: Int,
        by order: RowComparator<Element>
    ) {
        var left = unsafe source + left
        var right = unsafe source + right
        var next = unsafe target + (start + steps)
        var lastLeft = unsafe source + lastLeft
        var lastRight = unsafe source + lastRight
        var last = unsafe target + (end - 1 - steps)
        let limit = unsafe next + (goal - steps)
        while unsafe next < limit {
            let takesRight = unsafe order.precedes(right.pointee.element, left.pointee.element)
            unsafe next.pointee = (takesRight ? right : left).pointee
            unsafe right += takesRight ? 1 : 0
            unsafe left += takesRight ? 0 : 1
            unsafe next += 1
            let takesLeft = unsafe order.precedes(
                lastRight.pointee.element, lastLeft.pointee.element)
            unsafe last.pointee = (takesLeft ? lastLeft : lastRight).pointee
            unsafe lastLeft -= takesLeft ? 1 : 0
            unsafe lastRight -= takesLeft ? 0 : 1
            unsafe last -= 1
        }
        self.left = unsafe left - source
        self.right = unsafe right - source
        self.lastLeft = unsafe lastLeft - source
        self.lastRight = unsafe lastRight - source
        steps = goal
    }

    /// Merges all rows, from one end.
    @inlinable
    func mergeFromFront<Element>(
        _ source: UnsafePointer<OrderEntry<Element>>,
        _ target: UnsafeMutablePointer<OrderEntry<Element>>, by order: RowComparator<Element>
    ) {
        var left = start
        var right = middle
        for next in start..<end {
            let takesRight =
                unsafe left == middle
                || right < end && order.precedes(source[right].element, source[left].element)
            unsafe target[next] = source[takesRight ? right : left]
            if takesRight { right += 1 } else { left += 1 }
        }
    }
}
