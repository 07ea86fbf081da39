import JSONText
import Testing
import WireProtocol

@Suite struct MessageTests {
    static let document = DocumentRecord(
        key: "f81", name: WireName("a \"b\".txt"), path: WireName("sub/a \"b\".txt"),
        root: "/home/u/Documents", size: 131, modified: 1_763_690_101.25, type: "text/plain")

    static let oddDocument = DocumentRecord(
        key: "f82", name: WireName(text: "a\u{FFFD}", bytes: [0x61, 0xFF]),
        path: WireName(text: "b/\u{FFFD}", bytes: [0x62, 0x2F, 0xFF]),
        root: "/r", size: .max, modified: 0, type: "application/octet-stream")

    static var documentInFull: DocumentRecord {
        var record = document
        record.details = DocumentDetails(
            uri: "file:///home/u/Documents/sub/a%20%22b%22.txt", icon: "text-plain",
            genericIcon: "text-x-generic", created: 1_763_690_100.5,
            thumbnail: "/home/u/.cache/thumbnails/large/0.png")
        return record
    }

    static var item: ItemRecord {
        var item = ItemRecord(document, liked: true, matches: [0, 3])
        item.folderMatches = [1, 4]
        item.attributes = ["pdf.pages": 10, "tags": ["x"]]
        return item
    }

    private func roundTrip<Message: WireWritable & WireReadable & Equatable>(
        _ message: Message
    ) throws {
        let value = try JSONValue(parsing: message.wireBytes)
        #expect(try Message(decoding: value) == message)
        // Without its members, or with invalid ones, nothing crashes and no error is missed.
        guard let object = value.objectValue else { return }
        for member in object.members {
            var without = object
            without[member.key] = nil
            _ = try? Message(decoding: .object(without))
            var wrong = object
            wrong[member.key] = [[["x"]]]
            let decoded = try? Message(decoding: .object(wrong))
            #expect(decoded != message, "\(member.key)")
        }
    }

    @Test("every message survives a round trip")
    func roundTrips() throws {
        try roundTrip(Self.document)
        try roundTrip(Self.documentInFull)
        try roundTrip(Self.oddDocument)
        try roundTrip(ItemRecord.new)
        try roundTrip(Self.item)
        try roundTrip(
            ItemsReset(
                sub: "s", gen: 2, rev: 1042, token: "6f1c:1042", total: 41, start: 3, chunk: 1,
                last: false, complete: false, reason: "open", items: [.new, Self.item]))
        try roundTrip(
            ItemsDelta(
                sub: 7, gen: 1, from: 1042, to: 1045, token: "6f1c:1045", total: 41,
                deleted: [2], moved: [.init(from: 1, to: 0)],
                inserted: [.init(index: 2, item: Self.item)],
                updated: [.init(index: 1, changes: ["size": 131, "liked": .null])]))
        try roundTrip(LostNotice(sub: 9, from: 8810, to: 8840))
        try roundTrip(Alive(rev: 12))
    }

    @Test("lines on the wire are as the protocol shows them")
    func shapes() {
        let delta = ItemsDelta(
            sub: 7, gen: 1, from: 1042, to: 1045, token: "6f1c:1045", total: 41, deleted: [2],
            moved: [.init(from: 1, to: 0)], inserted: [.init(index: 2, item: .new)],
            updated: [.init(index: 1, changes: ["size": 131])])
        #expect(
            text(WireLine.notification(delta))
                == #"{"jsonrpc":"2.0","method":"items.delta","params":{"sub":7,"gen":1,"#
                + #""from":1042,"to":1045,"token":"6f1c:1045","total":41,"start":0,"#
                + #""complete":true,"deleted":[2],"moved":[[1,0]],"#
                + #""inserted":[[2,{"kind":"new","key":"new"}]],"updated":[[1,{"size":131}]]}}"#
                + "\n")
        #expect(
            text(WireLine.notification(LostNotice(sub: 9, from: 8810, to: 8840)))
                == #"{"jsonrpc":"2.0","method":"$/lost","params":{"sub":9,"from":8810,"#
                + #""to":8840,"reason":"slow"}}"# + "\n")
        let request = WireLine.request(id: nil, method: "$/cancel", params: ["id": 3])
        #expect(
            text(request) == #"{"jsonrpc":"2.0","method":"$/cancel","params":{"id":3}}"# + "\n")
    }

    @Test("names that are not UTF-8 keep their exact bytes")
    func trueBytes() throws {
        let value = try JSONValue(parsing: Self.oddDocument.wireBytes)
        #expect(value["name"] == "a\u{FFFD}")
        #expect(value["nameB64"] == "Yf8=")
        #expect(try DocumentRecord(decoding: value).name.trueBytes == [0x61, 0xFF])
    }

    @Test("names are equal if their bytes are")
    func names() {
        #expect(WireName("\u{E9}") != WireName("e\u{301}"))
        #expect(
            WireName(text: "\u{FFFD}", bytes: [0xFF])
                != WireName(text: "\u{FFFD}", bytes: [0xFE]))
    }

    @Test("an event is read with and without its optional members")
    func event() throws {
        let bare: JSONObject = ["seq": 1, "time": 0, "topic": "a"]
        let event = try EventRecord(decoding: .object(bare))
        #expect(event.sub == nil && event.seq == 1 && event.time == 0 && event.topic == "a")
        #expect(event.data == nil && !event.replayed)
        var whole = bare
        whole["sub"] = 9
        whole["data"] = ["key": "k"]
        whole["replayed"] = true
        let other = try EventRecord(decoding: .object(whole))
        #expect(other.sub == 9 && other.data == JSONFragment(["key": "k"]) && other.replayed)
        for name in whole.keys {
            var wrong = whole
            wrong[name] = [[["x"]]]
            #expect((try? EventRecord(decoding: .object(wrong))) != other, "\(name)")
        }
    }

    @Test("only the requested fields are written; kind and key always are")
    func fields() throws {
        var writer = JSONWriter()
        Self.item.write(to: &writer, fields: try ItemFields(names: ["name", "size"]))
        let value = try JSONValue(parsing: writer.finish())
        #expect(value.objectValue?.keys == ["kind", "key", "name", "size"])
        let error = #expect(throws: ProtocolError.self) {
            try ItemFields(names: ["name", "sise"])
        }
        #expect(error?.at == "fields[1]")
    }

    @Test("the changes between two states of an item turn one into the other")
    func changes() throws {
        let full = Self.item
        var other = ItemRecord(Self.oddDocument)
        other.key = full.key
        other.attributes = ["tags": ["y"], "new": 1]
        for (old, new) in [(full, other), (other, full)] {
            let changes = try #require(new.changes(since: old))
            var item = old
            try item.apply(changes)
            #expect(item == new)
        }
        #expect(full.changes(since: full) == nil)
        #expect(full.changes(since: other, fields: [.liked]) == ["liked": true])
        #expect(other.changes(since: full, fields: [.liked]) == ["liked": .null])
        var bare = ItemRecord(kind: .document, key: full.key)
        try bare.apply(#require(full.changes(since: bare)))
        #expect(bare == full)
        try bare.apply(#require(ItemRecord(kind: .document, key: full.key).changes(since: bare)))
        #expect(bare == ItemRecord(kind: .document, key: full.key))
    }

    @Test(
        "a change of the wrong type is refused and has no effect",
        arguments: [
            "key", "kind", "name", "path", "size", "modified", "liked", "m", "mf", "nameB64",
        ])
    func wrongChanges(_ key: String) {
        var item = Self.item
        #expect(throws: MessageError.self) {
            try item.apply(["type": "x", key: ["wrong"]] as JSONObject)
        }
        #expect(item == Self.item)
    }

    @Test(
        "matches that are no ascending pairs in the name are refused, in an item and in a change",
        arguments: [[3], [0, 3, 4], [3, 1], [4, 5, 0, 1], [-1, 2], [0, 10]])
    func wrongMatches(_ matches: [Int]) throws {
        let positions = JSONValue.array(matches.map { JSONValue($0) })
        var object = try #require(try JSONValue(parsing: Self.item.wireBytes).objectValue)
        object["m"] = positions
        let error = #expect(throws: MessageError.self) {
            try ItemRecord(decoding: .object(object))
        }
        #expect(error?.path == "m")
        var item = Self.item
        let other = #expect(throws: MessageError.self) {
            try item.apply(["size": 7, "m": positions] as JSONObject)
        }
        #expect(other?.path == "m")
        #expect(item == Self.item)
    }

    @Test("matches may be none, empty, touch and reach to the end, and change with the name")
    func soundMatches() throws {
        for matches in [[], [0, 0], [0, 1, 1, 9]] {
            var item = Self.item
            item.matches = matches
            let read = try ItemRecord(decoding: JSONValue(parsing: item.wireBytes))
            #expect(read == item && read.matches == matches)
        }
        var item = Self.item
        try item.apply(["m": [0, 2], "name": "ab"])
        #expect(item.matches == [0, 2])
        #expect(throws: MessageError.self) { try item.apply(["name": "a"] as JSONObject) }
        #expect(item.name?.text == "ab")
        try item.apply(["name": "a", "m": .null])
        #expect(item.name?.text == "a" && item.matches == nil)
        // Nobody knows how long a name is that is not sent.
        var bare = ItemRecord(kind: .document, key: "f1")
        try bare.apply(["m": [7, 90]])
        #expect(bare.matches == [7, 90])
    }

    @Test("matches of the folder are in the path up to its last slash, and change with it")
    func folderMatches() throws {
        for matches in [[3], [0, 3, 4], [3, 1], [-1, 2], [0, 5]] {
            let positions = JSONValue.array(matches.map { JSONValue($0) })
            var object = try #require(try JSONValue(parsing: Self.item.wireBytes).objectValue)
            object["mf"] = positions
            let error = #expect(throws: MessageError.self) {
                try ItemRecord(decoding: .object(object))
            }
            #expect(error?.path == "mf")
            var item = Self.item
            let other = #expect(throws: MessageError.self) {
                try item.apply(["size": 7, "mf": positions] as JSONObject)
            }
            #expect(other?.path == "mf" && item == Self.item)
        }
        var item = Self.item
        #expect(item.path?.text.hasPrefix("sub/") == true)
        try item.apply(["mf": [0, 4]])
        #expect(item.folderMatches == [0, 4])
        #expect(throws: MessageError.self) { try item.apply(["path": "x"] as JSONObject) }
        try item.apply(["path": "x", "mf": .null])
        #expect(item.path?.text == "x" && item.folderMatches == nil)
        // They are a field of their own.
        let written = try ItemFields(names: ["mf"])
        var writer = JSONWriter()
        Self.item.write(to: &writer, fields: written)
        let value = try JSONValue(parsing: writer.finish())
        #expect(value.objectValue?.keys == ["kind", "key", "mf"] && value["mf"] == [1, 4])
    }

    @Test("exact numbers are numbers within the range of all readers, and digits beyond")
    func exactIntegers() throws {
        let values: [(UInt128, JSONValue)] = [
            (0, 0), (1 << 53, 9_007_199_254_740_992), ((1 << 53) + 1, "9007199254740993"),
            (.max, "340282366920938463463374607431768211455"),
        ]
        for (value, wire) in values {
            let statistics = NumberStatistics(
                sum: ExactInteger(value), mean: ExactInteger(value), min: nil, max: nil)
            let written = try JSONValue(parsing: statistics.wireBytes)
            #expect(written == ["sum": wire, "mean": wire, "min": .null, "max": .null])
            #expect(try NumberStatistics(decoding: written) == statistics)
        }
        for wrong: JSONValue in ["+1", "", "1.5", "-1", -1, 1.5, true, "x"] {
            #expect(throws: MessageError.self) {
                try NumberStatistics(decoding: ["sum": wrong, "mean": .null])
            }
        }
        // The least number without a Double of its own may still be sent as a number.
        let number = try NumberStatistics(decoding: ["sum": 9_007_199_254_740_993])
        #expect(number.sum.value == (1 << 53) + 1)
    }
}
