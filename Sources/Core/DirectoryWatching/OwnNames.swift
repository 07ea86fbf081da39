// The names of some files of a folder, by place.
//
// Most names are given up soon, when their documents are in the table; then nothing is left here.

/// Names by place, in one array of bytes.
struct OwnNames {
    private static let none = UInt32.max
    /// The length of a name is before it.
    private static let headerBytes = 2

    /// The first place in `starts`: new files have the last places, so in a large folder few places are in it.
    private var first = 0
    /// Where each place's name begins, or `none`; places before and behind have no names.
    private var starts: [UInt32] = []
    private var bytes: [UInt8] = []
    private var deadBytes = 0
    /// The number of names.
    private(set) var count = 0

    /// The bytes of both arrays.
    var capacityInBytes: Int { starts.capacity * MemoryLayout<UInt32>.stride + bytes.capacity }

    func has(_ place: Int) -> Bool {
        place >= first && place - first < starts.count && starts[place - first] != Self.none
    }

    /// The name of a place that has one.
    func name(of place: Int) -> ArraySlice<UInt8> { bytes[range(of: place)] }

    private func range(of place: Int) -> Range<Int> {
        let start = Int(starts[place - first])
        let count = Int(bytes[start]) | Int(bytes[start + 1]) << 8
        return start + Self.headerBytes..<start + Self.headerBytes + count
    }

    /// Gives a name to a place that has none, one of so many places.
    mutating func set(_ name: ArraySlice<UInt8>, of place: Int, among places: Int) {
        precondition(place < places && !has(place) && name.count <= UInt16.max)
        precondition(bytes.count + name.count + Self.headerBytes < UInt32.max)
        setStart(of: place, to: UInt32(bytes.count))
        bytes.append(UInt8(name.count & 0xFF))
        bytes.append(UInt8(name.count >> 8))
        bytes.append(contentsOf: name)
        count += 1
    }

    /// - Complexity: O(n) for the n places between it and those with names.
    private mutating func setStart(of place: Int, to start: UInt32) {
        if starts.isEmpty { first = place }
        if place < first {
            starts.insert(contentsOf: repeatElement(Self.none, count: first - place), at: 0)
            first = place
        }
        while starts.count <= place - first { starts.append(Self.none) }
        starts[place - first] = start
    }

    /// Removes the name of a place, if it has one.
    mutating func remove(_ place: Int) {
        guard has(place) else { return }
        deadBytes += range(of: place).count + Self.headerBytes
        starts[place - first] = Self.none
        count -= 1
        if count == 0 {
            self = OwnNames()
        } else if deadBytes > bytes.count / 2 {
            compact()
        }
    }

    /// Gives the name of a place, if it has one, to a place that has none.
    mutating func move(_ place: Int, to other: Int) {
        guard has(place) else { return }
        setStart(of: other, to: starts[place - first])
        starts[place - first] = Self.none
    }

    /// Says that there are only so many places left, behind which no place has a name.
    mutating func truncate(to places: Int) {
        let kept = max(0, places - first)
        if starts.count > kept { starts.removeLast(starts.count - kept) }
    }

    mutating func reserve(_ places: Int, adding names: Int, nameBytes: Int) {
        starts.reserveCapacity(places - first)
        bytes.reserveCapacity(bytes.count + nameBytes + names * Self.headerBytes)
    }

    /// Removes the bytes of removed names.
    private mutating func compact() {
        var kept: [UInt8] = []
        kept.reserveCapacity(bytes.count - deadBytes)
        for place in first..<first + starts.count where has(place) {
            let range = range(of: place)
            starts[place - first] = UInt32(kept.count)
            kept.append(contentsOf: bytes[range.lowerBound - Self.headerBytes..<range.upperBound])
        }
        bytes = kept
        deadBytes = 0
    }

    /// In debug builds, traps if there are other names than those counted, or names of places that are not there.
    func checkInvariants(among places: Int) {
        #if DEBUG
        precondition(first + starts.count <= places || starts.isEmpty, "a name has no place")
        let named = (first..<first + starts.count).filter(has)
        precondition(named.count == count, "\(named.count) names, not \(count)")
        let used = named.reduce(0) { $0 + range(of: $1).count + Self.headerBytes }
        precondition(used + deadBytes == bytes.count, "names overlap, or bytes are lost")
        #endif
    }
}
