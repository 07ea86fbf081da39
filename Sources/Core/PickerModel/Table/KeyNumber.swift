// The keys of documents as numbers.
//
// The daemon's own keys are `f` and a number in base 36, and only the number is stored. Keys of any other form, which
// plugins and tests may have, are in a table beside, and their number is the place there.

/// A key as a number. Only the table that made it knows its text, if the key is not the daemon's own.
package struct KeyNumber: Hashable, Sendable {
    /// The first number that is no longer stored in a row.
    static let mintedLimit: UInt64 = 1 << 39

    /// Below `mintedLimit` a minted number, else the place in the table of other keys and the limit.
    let number: UInt64

    init(number: UInt64) {
        self.number = number
    }

    /// The daemon's own key with this number, which must be below 2^39.
    package init(minted number: UInt64) {
        precondition(number < Self.mintedLimit)
        self.number = number
    }

    /// The text of the daemon's own key with this number.
    package static func text(ofMinted number: UInt64) -> String {
        var count = 1
        var rest = number
        repeat {
            count += 1
            rest /= 36
        } while rest > 0
        // It has 14 bytes at most, for which a string needs no memory of its own. All of them are written.
        return unsafe String(unsafeUninitializedCapacity: count) { bytes in
            var rest = number
            for place in stride(from: count - 1, to: 0, by: -1) {
                let digit = UInt8(rest % 36)
                unsafe bytes[place] =
                    digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
                rest /= 36
            }
            unsafe bytes[0] = UInt8(ascii: "f")
            return count
        }
    }

    var isMinted: Bool { number < Self.mintedLimit }

    /// Whether it is one of the daemon's own.
    package var isOwn: Bool { isMinted }

    /// The daemon's own key with a number from `packed` that was stored; nil if there is none.
    package init?(stored number: UInt64) {
        guard number < Self.mintedLimit else { return nil }
        self.number = number
    }

    /// The number, which is below 2^40, for one who stores many keys.
    package var packed: UInt64 { number }

    /// The key with a number from `packed`.
    package init(packed: UInt64) { number = packed }

    /// The number of a text that is exactly `f` and a number in base 36.
    package static func mintedNumber(of text: String) -> UInt64? {
        let count = text.utf8.count
        guard (2...9).contains(count) else { return nil }
        var number: UInt64 = 0
        var place = 0
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "f") where place == 0: break
            case _ where place == 0: return nil
            // No other number begins with it.
            case UInt8(ascii: "0") where place == 1 && count > 2: return nil
            case 0x30...0x39: number = number * 36 + UInt64(byte - 0x30)
            case 0x61...0x7A: number = number * 36 + UInt64(byte - 0x61) + 10
            default: return nil
            }
            place += 1
        }
        return number < mintedLimit ? number : nil
    }
}

extension KeyNumber: Comparable {
    /// Whether the store made one key before the other.
    package static func < (left: KeyNumber, right: KeyNumber) -> Bool { left.number < right.number }
}

/// Keys that are not the daemon's own, with the number of rows that have them.
struct OtherKeys {
    /// The most keys, and the longest one in bytes.
    static let mostKeys = 1 << 20
    static let longestKey = 1024

    private var texts: [String] = []
    private var uses: [Int32] = []
    private var free: [Int] = []
    /// By bytes: Swift's own equality treats texts as equal that are different keys.
    private var places: [[UInt8]: Int] = [:]

    var count: Int { places.count }

    func place(of text: String) -> Int? {
        places.isEmpty ? nil : places[Array(text.utf8)]
    }

    func text(at place: Int) -> String { texts[place] }

    /// The place of a key, which is added if it is new, without a use.
    mutating func add(_ text: String) throws(DocumentTableError) -> Int {
        let bytes = Array(text.utf8)
        if let place = places[bytes] { return place }
        guard bytes.count <= Self.longestKey else { throw .keyTooLong(bytes: bytes.count) }
        guard places.count < Self.mostKeys else { throw .tooManyKeys }
        let place = free.popLast() ?? texts.count
        if place == texts.count {
            texts.append(text)
            uses.append(0)
        } else {
            texts[place] = text
        }
        places[bytes] = place
        return place
    }

    mutating func retain(_ place: Int) { uses[place] += 1 }

    mutating func release(_ place: Int) {
        uses[place] -= 1
        discard(place)
    }

    /// Removes a key without uses.
    mutating func discard(_ place: Int) {
        guard uses[place] == 0 else { return }
        places[Array(texts[place].utf8)] = nil
        texts[place] = ""
        free.append(place)
    }

    #if DEBUG
    func check(_ counted: [Int: Int]) {
        precondition(places.count + free.count == texts.count)
        for (bytes, place) in places {
            precondition(Array(texts[place].utf8) == bytes)
            precondition(Int(uses[place]) == counted[place] ?? 0, "key \(texts[place])")
        }
    }
    #endif
}

/// The numbers of devices, which few documents differ in.
struct DeviceNumbers {
    private static let most = Int(UInt16.max)

    private var devices: [UInt64] = []
    private var uses: [Int] = []
    private var free: [UInt16] = []
    private var places: [UInt64: UInt16] = [:]

    /// The place of a device, which is added if it is new, without a use.
    mutating func add(_ device: UInt64) throws(DocumentTableError) -> UInt16 {
        // Most documents are on one.
        if !devices.isEmpty, devices[0] == device, uses[0] > 0 { return 0 }
        if let place = places[device] { return place }
        guard places.count < Self.most else { throw .tooManyDevices }
        let place = free.popLast() ?? UInt16(devices.count)
        if Int(place) == devices.count {
            devices.append(device)
            uses.append(0)
        } else {
            devices[Int(place)] = device
        }
        places[device] = place
        return place
    }

    subscript(place: UInt16) -> UInt64 { devices[Int(place)] }

    mutating func retain(_ place: UInt16) { retain(place, 1) }

    mutating func retain(_ place: UInt16, _ rows: Int) { uses[Int(place)] += rows }

    mutating func release(_ place: UInt16) {
        uses[Int(place)] -= 1
        discard(place)
    }

    /// Removes a device without uses.
    mutating func discard(_ place: UInt16) {
        guard uses[Int(place)] == 0, places[devices[Int(place)]] == place else { return }
        places[devices[Int(place)]] = nil
        free.append(place)
    }

    #if DEBUG
    func check(_ counted: [UInt64: Int]) {
        precondition(places.count == counted.count, "\(places.count) devices")
        for (device, place) in places {
            precondition(devices[Int(place)] == device && uses[Int(place)] == counted[device])
        }
    }
    #endif
}
