// One pattern, read as gitignore(5) says.
//
// A pattern with a slash before its end is a sequence of segments, one for each name of a path; `**` stands for any
// number of folders. A pattern without one is a single segment, for a name in any folder. A final `**` is one folder
// or more and then a name, so the last segment of a pattern is always that of the name itself. Slashes in bracket
// expressions match nothing, since a name has none; but as in git they make a pattern one with a slash.

/// One element of a segment.
enum PatternToken: Hashable {
    case byte(UInt8)
    /// `?`: any byte.
    case anyByte
    /// `*`: any number of bytes.
    case anyBytes
    case set(ByteSet)
}

enum PatternSegment: Hashable {
    /// What a name is like.
    case name([PatternToken])
    /// `**`: any number of folders, also none.
    case anyFolders
}

/// Why a pattern matches nothing.
enum PatternFault: Error, Equatable {
    case empty
    case onlySlashes
    case onlyExclamationMark
    case emptyName
    case dotName
    case finalBackslash
    case unclosedBracket
    case unknownClass([UInt8])
    case emptySet
}

struct ParsedPattern: Hashable {
    private(set) var isNegated = false
    private(set) var isForFolders = false
    /// The segments before the last: what the path of the folder is like; nil if any will do.
    private(set) var folders: [PatternSegment]?
    /// The last segment.
    private(set) var name: [PatternToken]

    /// Reads a pattern. It has no NUL, and its trailing spaces have been removed.
    init(_ pattern: ArraySlice<UInt8>) throws(PatternFault) {
        var body = pattern
        if body.first == UInt8(ascii: "!") {
            isNegated = true
            body = body.dropFirst()
            if body.isEmpty { throw .onlyExclamationMark }
        }
        if body.isEmpty { throw .empty }
        if body.last == UInt8(ascii: "/") {
            isForFolders = true
            body = body.dropLast()
        }
        if body.allSatisfy({ $0 == UInt8(ascii: "/") }) { throw .onlySlashes }
        let isPath = body.contains(UInt8(ascii: "/"))
        if isPath, body.first == UInt8(ascii: "/") { body = body.dropFirst() }
        var reader = SegmentReader(body: body, isPath: isPath)
        try reader.read()
        name = reader.tokens
        if isPath, reader.segments != [.anyFolders] { folders = reader.segments }
    }
}

/// Reads the segments of a pattern.
private struct SegmentReader {
    let body: ArraySlice<UInt8>
    let isPath: Bool
    /// The segments that have ended.
    var segments: [PatternSegment] = []
    /// What has been read of the segment after them.
    var tokens: [PatternToken] = []
    private var place: Int

    init(body: ArraySlice<UInt8>, isPath: Bool) {
        self.body = body
        self.isPath = isPath
        place = body.startIndex
    }

    mutating func read() throws(PatternFault) {
        while place < body.endIndex {
            switch body[place] {
            case UInt8(ascii: "/"):
                place += 1
                try endSegment()
            case UInt8(ascii: "\\"):
                guard place + 1 < body.endIndex else { throw .finalBackslash }
                let byte = body[place + 1]
                place += 2
                if byte == UInt8(ascii: "/") {
                    try endSegment()
                } else {
                    tokens.append(.byte(byte))
                }
            case UInt8(ascii: "*"):
                readStars()
            case UInt8(ascii: "?"):
                place += 1
                tokens.append(.anyByte)
            case UInt8(ascii: "["):
                var bracket = BracketReader(body: body, place: place + 1)
                let set = try bracket.read()
                place = bracket.place
                tokens.append(set.onlyMember.map { .byte($0) } ?? .set(set))
            case let byte:
                place += 1
                tokens.append(.byte(byte))
            }
        }
        try checkSegment()
    }

    private func checkSegment() throws(PatternFault) {
        if tokens.isEmpty { throw .emptyName }
        let dot = PatternToken.byte(UInt8(ascii: "."))
        if tokens == [dot] || tokens == [dot, dot] { throw .dotName }
    }

    private mutating func endSegment() throws(PatternFault) {
        try checkSegment()
        segments.append(.name(tokens))
        tokens = []
    }

    /// Reads one star or more. Two and more that are a segment stand for folders, others are as one.
    private mutating func readStars() {
        let start = place
        while place < body.endIndex, body[place] == UInt8(ascii: "*") { place += 1 }
        let slash = UInt8(ascii: "/")
        guard isPath, place - start > 1, start == body.startIndex || body[start - 1] == slash else {
            return tokens.append(.anyBytes)
        }
        if place == body.endIndex {
            addAnyFolders()
            tokens = [.anyBytes]
        } else if body[place] == slash {
            place += 1
            addAnyFolders()
        } else if body[place] == UInt8(ascii: "\\"), place + 1 < body.endIndex,
            body[place + 1] == slash
        {
            // Git takes this for one folder or more: only a plain slash can be left out with `**`.
            place += 2
            segments.append(.name([.anyBytes]))
            addAnyFolders()
        } else {
            tokens.append(.anyBytes)
        }
    }

    private mutating func addAnyFolders() {
        if segments.last != .anyFolders { segments.append(.anyFolders) }
    }
}

/// Reads a bracket expression.
private struct BracketReader {
    let body: ArraySlice<UInt8>
    /// After the opening bracket, then after the closing one.
    var place: Int

    private var set = ByteSet()
    /// What a range can begin with: the byte before, if it is not the end of a range or a class.
    private var previous: UInt8?

    init(body: ArraySlice<UInt8>, place: Int) {
        self.body = body
        self.place = place
    }

    mutating func read() throws(PatternFault) -> ByteSet {
        let first = try byte(at: place)
        let isNegated = first == UInt8(ascii: "!") || first == UInt8(ascii: "^")
        if isNegated { place += 1 }
        // A closing bracket that comes first is an ordinary member.
        repeat { try readMember() } while try byte(at: place) != UInt8(ascii: "]")
        place += 1
        if isNegated { set.invert() }
        // No name has these.
        set.remove(0)
        set.remove(UInt8(ascii: "/"))
        if set.isEmpty { throw .emptySet }
        return set
    }

    private func byte(at place: Int) throws(PatternFault) -> UInt8 {
        guard place < body.endIndex else { throw .unclosedBracket }
        return body[place]
    }

    /// Reads a byte, which a backslash may precede.
    private mutating func readByte() throws(PatternFault) -> UInt8 {
        if try byte(at: place) == UInt8(ascii: "\\") { place += 1 }
        let byte = try byte(at: place)
        place += 1
        return byte
    }

    private mutating func readMember() throws(PatternFault) {
        let first = try byte(at: place)
        let second = place + 1 < body.endIndex ? body[place + 1] : nil
        if first == UInt8(ascii: "-"), let start = previous, let second,
            second != UInt8(ascii: "]")
        {
            place += 1
            let end = try readByte()
            if start <= end { for byte in start...end { set.insert(byte) } }
            previous = nil
        } else if first == UInt8(ascii: "["), second == UInt8(ascii: ":"),
            let members = try readClass()
        {
            set.formUnion(members)
            previous = nil
        } else {
            let byte = try readByte()
            set.insert(byte)
            previous = byte
        }
    }

    /// Reads a class such as `[:digit:]`; nil, and nothing is read, if what follows is none.
    private mutating func readClass() throws(PatternFault) -> ByteSet? {
        let start = place + 2
        guard let end = body[start...].firstIndex(of: UInt8(ascii: "]")) else {
            throw .unclosedBracket
        }
        guard end > start, body[end - 1] == UInt8(ascii: ":") else { return nil }
        let name = body[start..<(end - 1)]
        guard let members = Self.members(of: String(decoding: name, as: UTF8.self)) else {
            throw .unknownClass(Array(name))
        }
        place = end + 1
        return members
    }

    /// The members of a class: of ASCII, whatever the locale.
    private static func members(of name: String) -> ByteSet? {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
        let small = UInt8(ascii: "a")...UInt8(ascii: "z")
        let hexCapitals = UInt8(ascii: "A")...UInt8(ascii: "F")
        let hexSmall = UInt8(ascii: "a")...UInt8(ascii: "f")
        func isLetter(_ byte: UInt8) -> Bool { capitals ~= byte || small ~= byte }
        func isAlphanumeric(_ byte: UInt8) -> Bool { isLetter(byte) || digits ~= byte }
        switch name {
        case "alnum": return ByteSet(isAlphanumeric)
        case "alpha": return ByteSet(isLetter)
        case "blank": return ByteSet { $0 == 0x20 || $0 == 0x09 }
        case "cntrl": return ByteSet { $0 < 0x20 || $0 == 0x7F }
        case "digit": return ByteSet { digits ~= $0 }
        case "graph": return ByteSet { 0x21...0x7E ~= $0 }
        case "lower": return ByteSet { small ~= $0 }
        case "print": return ByteSet { 0x20...0x7E ~= $0 }
        case "punct": return ByteSet { 0x21...0x7E ~= $0 && !isAlphanumeric($0) }
        // Git counts neither the vertical tab nor the form feed.
        case "space": return ByteSet { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        case "upper": return ByteSet { capitals ~= $0 }
        case "xdigit":
            return ByteSet { digits ~= $0 || hexCapitals ~= $0 || hexSmall ~= $0 }
        default: return nil
        }
    }
}
