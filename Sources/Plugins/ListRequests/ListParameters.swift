internal import JSONText
package import WireProtocol

// What selects documents, sorts them and cuts a window out of them, as methods take it.

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
    package static let selectionParameters: [Member] = [
        .optional("search", .string, "A part of the name; an empty text is none"),
        .optional("match", .choice("contains"), "How the search matches"),
        .optional("where", .filter, "Which documents are kept; all unless given"),
    ]

    /// What sorts them, and which rows of that are wanted.
    package static let listParameters: [Member] =
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
    package static let resumeParameters: [Member] = [
        .optional("since", .token, "The revision that the client's rows show"),
        .optional(
            "have", .array(of: .string),
            "The keys of those rows, in order; goes with 'since'"),
    ]

    /// Where a list is not opened.
    package static let noResumeParameters: [Member] = [
        .optional("since", .null, "Only for items.open"),
        .optional("have", .null, "Only for items.open"),
    ]

    /// What only a list that is opened has.
    package static let fieldParameters: [Member] = [
        .optional(
            "fields",
            .array(
                of: .choice(
                    "kind", "key", "name", "path", "root", "size", "modified", "type", "liked",
                    "dropped", "m", "attributes", "nameB64", "pathB64")),
            "The members of documents that are wanted; all unless given")
    ]
}
