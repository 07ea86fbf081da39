// The items plugin with attributes of each kind, whose values are what the test says.

import JSONText
import PickerModel
import TestSupport
import Testing
import WireProtocol

/// Lists with attributes of which nothing is read.
final class AttributeBench {
    let lists: ListFixture
    private let offer: AttributeOffer

    /// With these documents.
    init(_ names: [String] = []) throws {
        lists = try ListFixture()
        offer = AttributeOffer(
            plugin: "x", version: "1", group: "g",
            attributes: Attribute.Kind.allCases.map { ("x.\($0.rawValue)", $0) }, condition: nil)
        directory.add(offer)
        // There is somebody who would read.
        directory.whenChanged = {}
        lists.add(names)
    }

    var documents: DocumentStore { lists.documents }
    var directory: AttributeDirectory { documents.attributes }

    func attribute(_ kind: Attribute.Kind) throws -> Attribute {
        try #require(directory.attribute(named: "x.\(kind.rawValue)"))
    }

    /// Somebody who needs all kinds, so that there are columns.
    func wantAll() throws -> AttributeUse {
        let use = try directory.use(
            AttributeWish(
                shown: [], needed: Set(try Attribute.Kind.allCases.map { try attribute($0) }),
                query: DocumentQuery(), range: .listed))
        return use
    }

    /// Gives a document values; nil takes one away.
    func give(_ name: String, _ values: [Attribute.Kind: AttributeValue?]) throws {
        let document = try #require(documents.documents.first { $0.name.text == name })
        let key = try #require(documents.table.key(document.key))
        let cells = try values.map { (attribute: try attribute($0), value: $1) }
        documents.edit { $0.give(cells, to: key) }
    }

    /// Says of all who need or await something how many documents are to be read.
    func setPending(_ count: Int) {
        for use in directory.users where !use.waitedFor.isEmpty {
            use.pending = Dictionary(uniqueKeysWithValues: use.waitedFor.map { ($0, count) })
        }
    }

    /// The answer to a request for a list, once all has been read that it waits for.
    func get(_ params: JSONObject) throws -> JSONValue {
        let later = lists.session.begin("items.get", .object(params))
        lists.loop.turn()
        setPending(0)
        lists.loop.turn()
        setPending(0)
        lists.loop.turn()
        return try #require(later.value, "it waits").get()
    }

    func names(_ params: JSONObject) throws -> [String] {
        try (get(params)["items"]?.arrayValue ?? []).compactMap { $0["name"]?.stringValue }
    }
}
