internal import JSONText
internal import WireProtocol

extension Schema {
    /// The outermost operator; what follows it, and what lies in it, is for `WhereReader` to say.
    private static let filter = reference(
        NamedSchema(
            "filter",
            array(
                beginningWith: choice(
                    "allof", "anyof", "not", "type", "suffix", "match", "imatch", "name", "size",
                    "modified", "path", "liked", "dropped", "attr", "true")
            ).described("A condition: an operator, and what it is about")))

    /// What selects documents: parameters that lists and statistics share.
    static let selectionParameters: [Member] = [
        .optional("search", .string, "A part of the name; an empty text is none"),
        .optional("match", .choice("contains"), "How the search matches"),
        .optional("where", .filter, "Which documents are kept; all unless given"),
    ]

    /// What sorts them, and which rows of that are wanted.
    static let listParameters: [Member] =
        [
            .optional(
                "sort", .either(.array(of: .string, from: 1), .choice("name", "date")),
                "Keys, of which the first decides; '-' in front of one reverses it, and 'date' is "
                    + "the latest first")
        ] + selectionParameters + [
            .optional(
                "window",
                .openObject([
                    .optional("start", Schema.count.orNull, "0 unless given"),
                    .optional(
                        "count", Schema.integer(from: 0, to: 100_000).orNull,
                        "50 unless given; null for all"),
                ])),
            .optional("gen", .integer(from: 0, to: Int(Int32.max)), "Comes back with what is sent"),
            .optional("highlights", .constant(false), "Not in this version"),
        ]

    /// For a list that is opened anew: what the client has of it.
    static let resumeParameters: [Member] = [
        .optional("since", .token, "The revision that the client's rows show"),
        .optional(
            "have", .array(of: .string),
            "The keys of those rows, in order; goes with 'since'"),
    ]

    /// Where a list is not opened.
    static let noResumeParameters: [Member] = [
        .optional("since", .null, "Only for items.open"),
        .optional("have", .null, "Only for items.open"),
    ]

    /// What only a list that is opened has.
    static let fieldParameters: [Member] = [
        .optional(
            "fields",
            .array(
                of: .choice(
                    "kind", "key", "name", "path", "root", "size", "modified", "type", "liked",
                    "dropped", "m", "attributes", "nameB64", "pathB64")),
            "The members of documents that are wanted; all unless given")
    ]
}

extension NotificationDefinition {
    static let itemsReset = NotificationDefinition(
        "items.reset", "The rows of a window anew, or a chunk of them.",
        parameters: .object([
            .required("sub", .id), .required("gen", .count), .required("rev", .rev),
            .required("token", .token), .required("total", .count), .required("start", .count),
            .required("chunk", .count), .required("last", .boolean),
            .required("complete", .boolean), .required("reason", .string),
            .required("items", .array(of: .item)),
        ]))

    static let itemsDelta = NotificationDefinition(
        "items.delta", "What changed in a window between two revisions.",
        parameters: .object([
            .required("sub", .id), .required("gen", .count), .required("from", .rev),
            .required("to", .rev), .required("token", .token), .required("total", .count),
            .required("start", .count), .required("complete", .boolean),
            .required("deleted", .array(of: .count), "Places before the change"),
            .required(
                "moved", .array(of: .tuple(.count, .count)), "From before the change, to after it"),
            .required(
                "inserted", .array(of: .tuple(.count, .item)), "Places after the change, and rows"),
            .required(
                "updated", .array(of: .tuple(.count, .itemChanges)),
                "Places after the change, and what is new there"),
        ]))
}

extension MethodDefinition {
    static let itemsOpen = MethodDefinition(
        "items.open", "Opens a live list, under the id of the request.",
        parameters: Schema.listParameters + Schema.fieldParameters + Schema.resumeParameters,
        result: .object([
            .required("sub", .id), .required("token", .token), .required("resumed", .boolean),
        ]),
        errors: [.unsupported, .badExpression, .conflict, .invalidRequest],
        notifications: [.itemsReset, .itemsDelta])

    static let itemsUpdate = MethodDefinition(
        "items.update", "Changes what an open list shows: what is given, and nothing else.",
        parameters: [.required("sub", .id)] + Schema.listParameters + Schema.noResumeParameters,
        result: .empty, errors: [.noSuchSubscription, .unsupported, .badExpression])

    static let itemsClose = MethodDefinition(
        "items.close", "Closes a list; nothing more of it is sent.",
        parameters: [.required("sub", .id)], result: .empty, errors: [.noSuchSubscription])

    static let itemsGet = MethodDefinition(
        "items.get", "The rows of a window, once.",
        parameters: Schema.listParameters + Schema.fieldParameters + Schema.noResumeParameters,
        result: .object([
            .required("rev", .rev), .required("total", .count), .required("start", .count),
            .required("items", .array(of: .item)),
        ]),
        errors: [.unsupported, .badExpression], waitsForDocuments: true)
}
