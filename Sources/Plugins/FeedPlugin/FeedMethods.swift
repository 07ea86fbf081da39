internal import JSONText
internal import WireProtocol

// Marks that users put on documents.

extension Schema {
    /// The documents to mark: one, or several.
    fileprivate static let keyParameters: [Member] = [
        .optional("key", .string, "Of one document"),
        .optional(
            "keys", .array(of: .string, from: 1, to: MarkRequest.mostKeys),
            "Of several; in place of 'key'"),
    ]
}

extension MethodDefinition {
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

    static let itemsVisited = MethodDefinition(
        "items.visited",
        "Counts a visit of documents; it is kept across restarts and renames, and counts half after 14 days.",
        parameters: Schema.keyParameters,
        result: .empty, errors: [.noSuchItem, .overloaded, .unsupported], waitsForDocuments: true,
        changesDocuments: true)
}
