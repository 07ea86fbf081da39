// How a name differs from its folded text.
//
// Folding changes few bytes of most names: letters lose accents and case. So a name is stored as its folded text and
// what to do to it, in steps: bytes of the text that are kept, bytes that are left out, and bytes that come in their
// place. A step is the number of bytes kept; the number of those left out, in the upper four bits of a byte, and of
// those that come, in the lower four; and those that come. What is behind the last step is kept.
//
// A name has one difference: equal texts with equal differences are equal names.

enum NameDifference {
    /// The most bytes that a step keeps, and those that it leaves out or puts in.
    private static let mostKept = 255
    private static let mostChanged = 15
    /// So many equal bytes end a change.
    private static let enough = 3

    /// The difference of a name and its folded text.
    /// - Complexity: O(n) in the length of both.
    static func bytes(from folded: UnsafeBufferPointer<UInt8>, to name: UnsafeBufferPointer<UInt8>)
        -> [UInt8]
    {
        var result: [UInt8] = []
        result.reserveCapacity(16)
        var (place, namePlace, kept) = (0, 0, 0)
        while place < folded.count || namePlace < name.count {
            // Both are checked.
            if place < folded.count, namePlace < name.count,
                unsafe folded[place] == name[namePlace]
            {
                place += 1
                namePlace += 1
                kept += 1
                continue
            }
            while kept > mostKept {
                result.append(UInt8(mostKept))
                result.append(0)
                kept -= mostKept
            }
            let (out, new) = unsafe change(folded, place, name, namePlace)
            result.append(UInt8(kept))
            result.append(UInt8(out << 4 | new))
            unsafe result.append(contentsOf: name[namePlace..<namePlace + new])
            place += out
            namePlace += new
            kept = 0
        }
        return result
    }

    /// The bytes to leave out and to put in, so that both go on alike: about the fewest.
    @inline(__always)
    private static func change(
        _ folded: UnsafeBufferPointer<UInt8>, _ place: Int, _ name: UnsafeBufferPointer<UInt8>,
        _ namePlace: Int
    ) -> (out: Int, new: Int) {
        let mostOut = min(mostChanged, folded.count - place)
        let mostNew = min(mostChanged, name.count - namePlace)
        // Mostly a letter of two bytes comes in the place of one of one or two.
        if mostNew >= 2 {
            for out in 1...2 where out <= mostOut {
                if unsafe areAlike(folded, place + out, name, namePlace + 2) { return (out, 2) }
            }
        }
        for sum in 1..<max(2, mostOut + mostNew) {
            for out in max(0, sum - mostNew)...min(sum, mostOut) {
                let new = sum - out
                if unsafe areAlike(folded, place + out, name, namePlace + new) { return (out, new) }
            }
        }
        return (mostOut, mostNew)
    }

    /// Whether enough bytes are equal from two places on, or all up to both ends.
    @inline(__always)
    private static func areAlike(
        _ folded: UnsafeBufferPointer<UInt8>, _ place: Int, _ name: UnsafeBufferPointer<UInt8>,
        _ namePlace: Int
    ) -> Bool {
        for index in 0..<enough {
            let isEnd = place + index == folded.count
            if isEnd || namePlace + index == name.count {
                return isEnd && namePlace + index == name.count
            }
            if unsafe folded[place + index] != name[namePlace + index] { return false }
        }
        return true
    }

    /// Writes the name with a folded text and a difference to a place with room for the longest name.
    /// - Returns: its length.
    /// - Complexity: O(n).
    static func restore(
        _ folded: UnsafeBufferPointer<UInt8>, _ difference: UnsafeBufferPointer<UInt8>,
        to target: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        var (place, end, index) = (0, 0, 0)
        func copy(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ count: Int) {
            precondition(count <= bytes.count - start && count <= target.count - end)
            guard count > 0, let from = bytes.baseAddress, let to = target.baseAddress else {
                return
            }
            // Both ranges are checked, and apart.
            unsafe (to + end).update(from: from + start, count: count)
            end += count
        }
        while index < difference.count {
            precondition(index + 1 < difference.count)
            let (kept, change) = unsafe (Int(difference[index]), Int(difference[index + 1]))
            unsafe copy(folded, place, kept)
            place += kept + change >> 4
            unsafe copy(difference, index + 2, change & 15)
            index += 2 + change & 15
        }
        unsafe copy(folded, place, folded.count - place)
        return end
    }

    /// Whether `restore` makes a name of some folded text of so many bytes with this difference.
    /// - Complexity: O(n).
    static func isValid(_ difference: UnsafeBufferPointer<UInt8>, of count: Int) -> Bool {
        var (place, end, index) = (0, 0, 0)
        while index < difference.count {
            guard index + 1 < difference.count else { return false }
            let (kept, change) = unsafe (Int(difference[index]), Int(difference[index + 1]))
            let (out, new) = (change >> 4, change & 15)
            guard kept <= count - place - out, new <= difference.count - index - 2 else {
                return false
            }
            // The end of the range is checked.
            for place in index + 2..<index + 2 + new {
                let byte = unsafe difference[place]
                if byte == 0 || byte == UInt8(ascii: "/") { return false }
            }
            place += kept + out
            end += kept + new
            index += 2 + new
        }
        return 1...DocumentTable.longestName ~= end + count - place
    }
}
