// The names of some files of a folder, by place.
//
// Most names are given up soon, when their documents are in the table; then nothing is left here.

/// Names by place, in one array of bytes.
struct OwnNames {
    private static let none = UInt32.max
    /// The length of a name is before it.
    private static let headerBytes = 2

    /// Where each place's name begins, or `none`; of the places from its end on none has a name.
    private var starts: [UInt32] = []
    private var bytes: [UInt8] = []
    private var deadBytes = 0
    /// The number of names.
    private(set) var count = 0

    /// The bytes of both arrays.
    var capacityInBytes: Int { starts.capacity * MemoryLayout<UInt32>.stride + bytes.capacity }

    func has(_ place: Int) -> Bool { place < starts.count && starts[place] != Self.none }

    /// The name of a place that has one.
    func name(of place: Int) -> ArraySlice<UInt8> { bytes[range(of: place)] }

    private func range(of place: Int) -> Range<Int> {
        let start = Int(starts[place])
        let count = Int(bytes[start]) | Int(bytes[start + 1]) << 8
        return start + Self.headerBytes..<start + Self.headerBytes + count
    }

    /// Gives a name to a place that has none, one of so many places.
    mutating func set(_ name: ArraySlice<UInt8>, of place: Int, among places: Int) {
        precondition(place < places && !has(place) && name.count <= UInt16.max)
        precondition(bytes.count + name.count + Self.headerBytes < UInt32.max)
        while starts.count <= place { starts.append(Self.none) }
        starts[place] = UInt32(bytes.count)
        bytes.append(UInt8(name.count & 0xFF))
        bytes.append(UInt8(name.count >> 8))
        bytes.append(contentsOf: name)
        count += 1
    }

    /// Removes the name of a place, if it has one.
    mutating func remove(_ place: Int) {
        guard has(place) else { return }
        deadBytes += range(of: place).count + Self.headerBytes
        starts[place] = Self.none
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
        starts[other] = starts[place]
        starts[place] = Self.none
    }

    /// Says that there are only so many places left, behind which no place has a name.
    mutating func truncate(to places: Int) {
        if starts.count > places { starts.removeLast(starts.count - places) }
    }

    mutating func reserve(_ places: Int, adding names: Int, nameBytes: Int) {
        starts.reserveCapacity(places)
        bytes.reserveCapacity(bytes.count + nameBytes + names * Self.headerBytes)
    }

    /// Removes the bytes of removed names.
    private mutating func compact() {
        var kept: [UInt8] = []
        kept.reserveCapacity(bytes.count - deadBytes)
        for place in starts.indices where has(place) {
            let range = range(of: place)
            starts[place] = UInt32(kept.count)
            kept.append(contentsOf: bytes[range.lowerBound - Self.headerBytes..<range.upperBound])
        }
        bytes = kept
        deadBytes = 0
    }

    /// In debug builds, traps if there are other names than those counted, or names of places that are not there.
    func checkInvariants(among places: Int) {
        #if DEBUG
        precondition(starts.count <= places, "a place that is not there has a name")
        let named = starts.indices.filter(has)
        precondition(named.count == count, "\(named.count) names, not \(count)")
        let used = named.reduce(0) { $0 + range(of: $1).count + Self.headerBytes }
        precondition(used + deadBytes == bytes.count, "names overlap, or bytes are lost")
        #endif
    }
}
