package import JSONText
package import PickerModel
package import WireProtocol

/// The attributes that the items of a list have.
package enum ShownAttributes: Equatable {
    /// Those by which the list is sorted or filtered.
    case ofQuery
    /// All that are known, and these.
    case all(besides: [Attribute])
    case these([Attribute])
}

extension ListRequest {
    /// The attributes on which the list depends.
    package var neededAttributes: Set<Attribute> {
        Set(sortOrder.attributes).union(filter?.expression.attributes ?? [])
    }

    /// The attributes that items have; nil for all that there are columns of.
    package var itemAttributes: Set<Attribute>? {
        switch shownAttributes {
        case .ofQuery: neededAttributes
        case .all: nil
        case .these(let attributes): Set(attributes)
        }
    }

    /// Those that were named.
    private var named: [Attribute] {
        switch shownAttributes {
        case .ofQuery: []
        case .all(let attributes), .these(let attributes): attributes
        }
    }

    /// Whether it names attributes that are to be shown.
    package var namesShownAttributes: Bool { !named.isEmpty }

    /// What the list wants to know of documents, and one attribute more of all of them. Whoever wants all that is known
    /// keeps that, and asks for nothing.
    package func wish(
        _ known: AttributeDirectory, and attribute: Attribute? = nil
    ) -> AttributeWish {
        let needed = neededAttributes.union(attribute.map { [$0] } ?? [])
        let shown = (itemAttributes ?? Set(known.columns + named)).subtracting(needed)
        let rest = filter?.expression.withoutAttributes
        return AttributeWish(
            shown: shown, needed: needed,
            query: DocumentQuery(search: search, filter: rest.map { DocumentFilter($0) }),
            range: range)
    }

    /// Notes what the list wants to know, as long as the returned object exists; nil if that is nothing.
    /// - Throws: overloaded.
    package func use(
        _ known: AttributeDirectory, and attribute: Attribute? = nil
    ) throws(ProtocolError) -> AttributeUse? {
        let wish = wish(known, and: attribute)
        if wish.isEmpty { return nil }
        do throws(DocumentTableError) {
            return try known.use(wish)
        } catch {
            throw .overloaded(
                retryAfterMs: 1000, "there is no memory for the attributes of the list")
        }
    }
}

extension JSONValue {
    /// A value of an attribute as clients see it.
    package init(_ value: AttributeValue) {
        switch value {
        case .boolean(let value): self = .bool(value)
        case .integer(let value): self = .integer(value)
        case .number(let value), .time(let value): self = JSONValue(value)
        case .text(let value): self = .string(value)
        }
    }
}
