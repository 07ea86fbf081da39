internal import JSONText
package import WireProtocol

// The parameters of methods that select documents, sort them and return a window of rows.

extension Schema {
    /// Only the outermost operator. `WhereReader` checks its operands.
    private static let filter = reference(
        NamedSchema(
            "filter",
            array(
                beginningWith: choice(
                    "allof", "anyof", "not", "type", "suffix", "match", "imatch", "name", "size",
                    "modified", "path", "liked", "dropped", "hidden", "attr", "true")
            ).described("A condition: an operator, and what it is about")))

    /// The parameters of a list: sort order, selection and window.
    package static let listParameters: [Member] = [
        .optional(
            "sort",
            .either(
                .array(of: .string, from: 1, to: ListRequest.mostNames),
                .choice("name", "date")),
            "Keys, of which the first decides; '-' in front of one reverses it, and 'date' is "
                + "the latest first"),
        .optional("search", .string, "What to find; an empty text is none"),
        .optional(
            "match", .choice("contains", "words", "fuzzy"),
            "How the search matches: a part of the name; words in any order; the terms of fzf in "
                + "folder and name"),
        .optional("where", .filter, "Which documents are kept; all unless given"),
        .collections,
        .optional(
            "window",
            .openObject([
                .optional("start", Schema.count.orNull, "0 unless given"),
                .optional(
                    "count", Schema.integer(from: 0, to: 100_000).orNull,
                    "50 unless given; null for all"),
                .optional(
                    "anchor", Schema.string(pattern: "^key:.").orNull,
                    "The key of an item that the window follows, instead of 'start'"),
                .optional(
                    "offset", Schema.integer(from: 0, to: 100_000).orNull,
                    "The rows of the window before the anchor; 0 unless given"),
            ])),
        .optional("gen", .integer(from: 0, to: Int(Int32.max)), "Comes back with what is sent"),
        .optional(
            "highlights", .boolean,
            "Whether 'm' says which parts of a name are found: where each begins and ends, in the "
                + "units of daemon.hello"),
    ]

    /// The parameters that resume a list: the rows that the client still has.
    package static let resumeParameters: [Member] = [
        .optional("since", .token, "The revision that the client's rows show"),
        .optional(
            "have", .array(of: .string),
            "The keys of those rows, in order; goes with 'since'"),
    ]

    /// Forbids the resume parameters in methods that open no list.
    package static let noResumeParameters: [Member] = [
        .optional("since", .null, "Only for items.open"),
        .optional("have", .null, "Only for items.open"),
    ]

    /// The parameter that chooses members of documents.
    package static let fieldParameters: [Member] = [
        .optional(
            "fields",
            .array(
                of: .either(
                    .choice(
                        "kind", "key", "name", "path", "root", "size", "modified", "type", "liked",
                        "dropped", "m", "mf", "attributes", "nameB64", "pathB64"),
                    .string(pattern: attributePattern)),
                to: ListRequest.mostNames),
            "The members of documents that are wanted, attributes among them, or \"attributes\" for all "
                + "that are known; all of the file, and those of the query, unless given")
    ]
}
