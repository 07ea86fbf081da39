internal import JSONText
internal import WireProtocol

// Pages of a list, and what the user says of documents.

extension Schema {
    private static let mostKeys = 1000

    /// Which documents are marked: one, or several.
    fileprivate static let keyParameters: [Member] = [
        .optional("key", .string, "Of one document"),
        .optional(
            "keys", .array(of: .string, from: 1, to: mostKeys), "Of several; in place of 'key'"),
    ]

    fileprivate static let pageNumber = integer(from: 1, to: PageRequest.mostPages)
}

extension MethodDefinition {
    static let itemsPage = MethodDefinition(
        "items.page",
        "One page of a list, by its number, or by that of another page that is at hand.",
        parameters: Schema.listParameters + Schema.fieldParameters + Schema.noResumeParameters + [
            .optional("index", Schema.pageNumber, "1 unless given"),
            .optional("size", .integer(from: 1, to: PageRequest.mostItems), "20 unless given"),
            .optional(
                "token", .string,
                "That of a page which the client has: none is told twice or missed"),
        ],
        result: .object([
            .required("count", .count, "The rows of the whole list"),
            .required("results", .array(of: .item)),
            .required("nextPageIndex", Schema.pageNumber.orNull),
            .required("previousPageIndex", Schema.pageNumber.orNull),
            .required("rev", .rev),
            .optional("token", .string, "Says where this page lies, for a request of another"),
        ]),
        errors: [.unsupported, .badExpression], waitsForDocuments: true)

    static let itemsLike = MethodDefinition(
        "items.like",
        "Marks documents as liked, or no longer; it is kept across restarts and renames.",
        parameters: Schema.keyParameters + [
            .optional("liked", .boolean, "The other way round unless given; needed for several")
        ],
        result: .object([.required("liked", .boolean)]),
        errors: [.noSuchItem, .overloaded, .unsupported], waitsForDocuments: true,
        changesDocuments: true)

    static let itemsDrop = MethodDefinition(
        "items.drop", "Takes documents out of every list; their files stay.",
        parameters: Schema.keyParameters,
        result: .empty, errors: [.noSuchItem, .overloaded, .unsupported], waitsForDocuments: true,
        changesDocuments: true)

    static let itemsRestore = MethodDefinition(
        "items.restore", "Takes documents that were dropped back into the lists.",
        parameters: Schema.keyParameters + [
            .optional("all", .constant(true), "All that were dropped; in place of 'key'")
        ],
        result: .empty, errors: [.noSuchItem, .overloaded, .unsupported], waitsForDocuments: true,
        changesDocuments: true)
}
