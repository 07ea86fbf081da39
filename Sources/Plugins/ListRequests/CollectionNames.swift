internal import JSONText
package import PickerModel
internal import PluginInterface
package import WireProtocol

// The parameter `in`: the collections that a list is drawn from.

extension Schema.Member {
    /// The collections that a list is drawn from.
    package static let collections = optional(
        "in", .array(of: .string, from: 1, to: MethodCall.mostCollections),
        "The collections it is drawn from; [\"documents\"] unless given. collections.list names all"
    )
}

extension CollectionSet {
    /// Reads the parameter `in`; null is the documents of all roots.
    package init(reading params: ParameterReader) throws(ProtocolError) {
        guard let names = try params.optionalStrings("in", limit: MethodCall.mostCollections) else {
            self = .documents
            return
        }
        if names.isEmpty {
            throw params.invalid(
                "in", mustBe: "an array of at least one name, as [\"\(Self.documentsName)\"]")
        }
        self.init(names)
    }
}

extension DocumentStore {
    /// Checks that there are these collections, and that their documents are known as far as limits allow.
    /// - Throws: `invalidParams`, `limitExceeded`.
    package func check(_ set: CollectionSet) throws(ProtocolError) {
        guard case .named(let names) = set else { return }
        for name in names where name != CollectionSet.documentsName {
            guard let known = collections.known[name] else {
                throw .invalidParams(
                    at: "in",
                    "there is no collection \(ProtocolError.quoted(name)): collections.list names all, and "
                        + "collections.open opens a folder")
            }
            if let limit = known.limit {
                throw .limitExceeded(
                    limit: limit,
                    "the collection \(ProtocolError.quoted(name)) was given up, as leased folders may have "
                        + "\(limit) documents in all: close it, and open a folder that has fewer")
            }
        }
    }
}
