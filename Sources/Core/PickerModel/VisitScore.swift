internal import Glibc

/// How often and how recently a document was visited, as one number.
///
/// A visit counts 1 at first, and half as much after each half-life. The number is the moment at which all visits
/// together count 1, so it need not change as time goes by: at any time, the document with the later moment has the
/// higher score.
package struct VisitScore: Hashable, Sendable, Comparable {
    /// In seconds: 14 days.
    package static let halfLife = 1_209_600.0
    /// The moments that can be, in milliseconds. Those of visits are within some years of the clock.
    package static let moments: ClosedRange<Int64> = -(1 << 52)...(1 << 52)

    /// In milliseconds since 1970 UTC.
    package let milliseconds: Int64

    /// A moment as it is stored; nil if it is none that can be.
    package init?(milliseconds: Int64) {
        guard Self.moments.contains(milliseconds) else { return nil }
        self.milliseconds = milliseconds
    }

    /// The score of one visit at that time, in seconds since 1970; of earlier ones, too, if there were any.
    package init(visitedAt now: Double, after earlier: VisitScore? = nil) {
        guard let earlier else {
            self.init(seconds: now)
            return
        }
        // The same as now + H·log2(1 + 2^((earlier - now) / H)), which would overflow if the clock was set far back.
        let latest = max(earlier.seconds, now)
        let distance = abs(earlier.seconds - now) / Self.halfLife
        self.init(seconds: latest + Self.halfLife * log2(1 + exp2(-distance)))
    }

    private init(seconds: Double) {
        let moment = (seconds * 1000).rounded()
        let ends = (Double(Self.moments.lowerBound), Double(Self.moments.upperBound))
        milliseconds = moment.isNaN ? 0 : Int64(min(max(moment, ends.0), ends.1))
    }

    /// In seconds since 1970 UTC.
    package var seconds: Double { Double(milliseconds) / 1000 }

    /// What the visits count at that time, in seconds since 1970.
    package func count(at now: Double) -> Double { exp2((seconds - now) / Self.halfLife) }

    package static func < (left: VisitScore, right: VisitScore) -> Bool {
        left.milliseconds < right.milliseconds
    }
}
