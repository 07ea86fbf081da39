internal import JSONText
internal import PickerModel
internal import WireProtocol

/// Where a page began and ended, in the order of its list.
///
/// Not by row: a row is another item as soon as something above it comes or goes. By item: the two ends
/// are those of its first and last item as they were then, with all that sorting looks at. So the next page
/// begins behind where the last item stood, be it still there or not, and every item that did
/// not itself change is on one page and one only.
///
/// It is the client's to keep. What it says is believed: a made-up one leads to another part of the
/// list, and nowhere else. Ties end in the key, and keys end with the daemon; so does the token.
struct PageToken {
    /// A place between two rows.
    enum Boundary {
        /// Before all rows.
        case start
        case before(PickerItem)
        case after(PickerItem)
    }

    let epoch: String
    let fingerprint: String
    /// The page's number.
    let index: Int
    let start: Boundary
    let end: Boundary

    init(
        epoch: String, fingerprint: String, index: Int, start: Boundary, end: Boundary
    ) {
        self.epoch = epoch
        self.fingerprint = fingerprint
        self.index = index
        self.start = start
        self.end = end
    }

    /// Nil if the text is no token.
    init?(_ text: String) {
        guard let bytes = Base64.decode(text), let value = try? JSONValue(parsing: bytes),
            let epoch = value["e"]?.stringValue, let fingerprint = value["q"]?.stringValue,
            let index = value["i"]?.integerValue.flatMap({ Int(exactly: $0) }),
            (1...PageRequest.mostPages).contains(index),
            let start = value["s"].flatMap(Boundary.init),
            let end = value["t"].flatMap(Boundary.init)
        else { return nil }
        self.init(
            epoch: epoch, fingerprint: fingerprint, index: index, start: start, end: end)
    }

    /// As the client gets it.
    var text: String {
        let value: JSONValue = [
            "e": JSONValue(epoch), "q": JSONValue(fingerprint), "i": JSONValue(index),
            "s": start.json, "t": end.json,
        ]
        return Base64.encode(value.bytes)
    }
}

extension PageToken.Boundary {
    fileprivate init?(_ value: JSONValue) {
        guard let elements = value.arrayValue, let side = elements.first?.stringValue else {
            return nil
        }
        switch (side, elements.count) {
        case ("start", 1): self = .start
        case ("before", 2):
            guard let item = PickerItem(anchor: elements[1]) else { return nil }
            self = .before(item)
        case ("after", 2):
            guard let item = PickerItem(anchor: elements[1]) else { return nil }
            self = .after(item)
        default: return nil
        }
    }

    fileprivate var json: JSONValue {
        switch self {
        case .start: ["start"]
        case .before(let item): ["before", item.anchor]
        case .after(let item): ["after", item.anchor]
        }
    }
}

extension PickerItem {
    /// What sorting looks at.
    fileprivate var anchor: JSONValue {
        guard case .document(let document) = self else { return .null }
        return [
            JSONValue(document.key), JSONValue(document.root),
            JSONValue(Base64.encode(document.path.bytes)),
            // Sizes and times take all of their 64 bits.
            JSONValue(String(document.size)), .integer(document.modified.seconds),
            .integer(Int64(document.modified.nanoseconds)), JSONValue(document.isLiked),
        ]
    }

    fileprivate init?(anchor: JSONValue) {
        if anchor.isNull {
            self = .newDocument
            return
        }
        guard let parts = anchor.arrayValue, parts.count == 7, let key = parts[0].stringValue,
            let root = parts[1].stringValue,
            let path = parts[2].stringValue.flatMap({ Base64.decode($0) }),
            let size = parts[3].stringValue.flatMap({ UInt64($0) }),
            let seconds = parts[4].integerValue,
            let nanoseconds = parts[5].integerValue.flatMap({ UInt32(exactly: $0) }),
            let isLiked = parts[6].boolValue
        else { return nil }
        let document = Document(
            key: key, root: root, path: FileName(bytes: path), size: size,
            modified: FileTime(seconds: seconds, nanoseconds: nanoseconds))
        self = .document(isLiked ? document.with(isLiked: true) : document)
    }
}
