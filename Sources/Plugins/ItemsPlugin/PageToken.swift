internal import JSONText
internal import PickerModel
internal import WireProtocol

/// The start and the end of a page, in the order of its list.
///
/// The ends are items, not row numbers, because rows shift when items above come or go. Each end holds the
/// sort keys of the page's first or last item at that time. So the next page starts after the position of
/// the last item, even if that item is gone, and every unchanged item appears on exactly one page.
///
/// The client keeps the token, and the daemon trusts it: a forged one only leads to another part of the
/// list. Ties are broken by the key, and keys last as long as the daemon; so does the token.
struct PageToken {
    /// A position between two rows.
    enum Boundary {
        /// Before all rows.
        case start
        case before(ItemContent)
        case after(ItemContent)
    }

    let epoch: String
    let fingerprint: String
    /// The page's number.
    let index: Int
    let start: Boundary
    let end: Boundary
}

extension PageToken {
    /// Nil if the text is not a token of a list that is sorted by these attributes.
    init?(_ text: String, by attributes: [Attribute]) {
        guard let bytes = Base64.decode(text), let value = try? JSONValue(parsing: bytes),
            let epoch = value["e"]?.stringValue, let fingerprint = value["q"]?.stringValue,
            let index = value["i"]?.integerValue.flatMap({ Int(exactly: $0) }),
            (1...PageRequest.mostPages).contains(index),
            let start = value["s"].flatMap({ Boundary($0, by: attributes) }),
            let end = value["t"].flatMap({ Boundary($0, by: attributes) })
        else { return nil }
        self.init(
            epoch: epoch, fingerprint: fingerprint, index: index, start: start, end: end)
    }

    /// The text that the client gets, for a list that is sorted by these attributes.
    func text(by attributes: [Attribute]) -> String {
        let value: JSONValue = [
            "e": JSONValue(epoch), "q": JSONValue(fingerprint), "i": JSONValue(index),
            "s": start.json(by: attributes), "t": end.json(by: attributes),
        ]
        return Base64.encode(value.bytes)
    }
}

extension PageToken.Boundary {
    fileprivate init?(_ value: JSONValue, by attributes: [Attribute]) {
        guard let elements = value.arrayValue, let side = elements.first?.stringValue else {
            return nil
        }
        switch (side, elements.count) {
        case ("start", 1): self = .start
        case ("before", 2), ("after", 2):
            guard let item = ItemContent(anchor: elements[1], by: attributes) else { return nil }
            self = side == "before" ? .before(item) : .after(item)
        default: return nil
        }
    }

    fileprivate func json(by attributes: [Attribute]) -> JSONValue {
        switch self {
        case .start: ["start"]
        case .before(let item): ["before", item.anchor(by: attributes)]
        case .after(let item): ["after", item.anchor(by: attributes)]
        }
    }
}

extension ItemContent {
    /// All values that sort orders compare.
    fileprivate func anchor(by attributes: [Attribute]) -> JSONValue {
        guard case .document(let document) = self else { return .null }
        return [
            JSONValue(document.key), JSONValue(document.root),
            JSONValue(Base64.encode(document.path.bytes)),
            // As text, because sizes use all 64 bits.
            JSONValue(String(document.size)), .integer(document.modified.seconds),
            .integer(Int64(document.modified.nanoseconds)), JSONValue(document.isLiked),
            JSONValue(document.type.text),
            .array(attributes.map { document.attributes[$0]?.anchor ?? .null }),
        ]
    }

    fileprivate init?(anchor: JSONValue, by attributes: [Attribute]) {
        if anchor.isNull {
            self = .newDocument
            return
        }
        guard let parts = anchor.arrayValue, parts.count == 9, let key = parts[0].stringValue,
            let root = parts[1].stringValue,
            let path = parts[2].stringValue.flatMap({ Base64.decode($0) }),
            let size = parts[3].stringValue.flatMap({ UInt64($0) }),
            let seconds = parts[4].integerValue,
            let nanoseconds = parts[5].integerValue.flatMap({ UInt32(exactly: $0) }),
            let isLiked = parts[6].boolValue,
            let type = parts[7].stringValue.flatMap({ MediaType(text: $0) }),
            let values = parts[8].arrayValue
        else { return nil }
        // Those of another query are refused for their fingerprint.
        var known: [Attribute: AttributeValue] = [:]
        for (attribute, value) in zip(attributes, values) {
            known[attribute] = AttributeValue(anchor: value, attribute.kind)
        }
        let document = Document(
            key: key, root: root, path: FileName(bytes: path), size: size,
            modified: FileTime(seconds: seconds, nanoseconds: nanoseconds)
        ).with(isLiked: isLiked).with(attributes: known)
        self = .document(document.type == type ? document : document.with(type: type))
    }
}

extension AttributeValue {
    /// Exact, unlike a number of JSON.
    fileprivate var anchor: JSONValue {
        if case .text(let text) = self { return .string(text) }
        return .string(String(word ?? 0))
    }

    fileprivate init?(anchor: JSONValue, _ kind: Attribute.Kind) {
        guard let text = anchor.stringValue else { return nil }
        if kind == .text {
            self = .text(text)
        } else if let word = UInt64(text), let value = AttributeValue(word: word, kind) {
            self = value
        } else {
            return nil
        }
    }
}
