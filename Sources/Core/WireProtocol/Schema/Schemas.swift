internal import JSONText

// Schemas shared by several methods.

extension Schema {
    /// The id of a request and of the stream it opened.
    package static let id = reference(
        NamedSchema(
            "id",
            either(.integer, .string(to: 1024)).described(
                "The id of a request, or of what it opened: an integer of 64 bits, or a string of at most "
                    + "1024 bytes")))

    package static let token = reference(
        NamedSchema(
            "token",
            string(pattern: "^.+:[0-9]+$").described(
                "A revision of the documents, with the daemon's epoch: \"<epoch>:<rev>\"")))

    /// The revision of the documents.
    package static let rev = count.described(
        "A revision: it grows with each change of the documents")

    package static let document = reference(
        NamedSchema(
            "document",
            object(
                [.required("key", .string, "Kept when the file is renamed, moved or saved over")]
                    + documentMembers(areRequired: true) + marks
            ).described("A regular file below a root")))

    /// A document with its `DocumentDetails`.
    package static let documentInFull = reference(
        NamedSchema(
            "documentInFull",
            object(
                [.required("key", .string, "Kept when the file is renamed, moved or saved over")]
                    + documentMembers(areRequired: true) + marks + [
                        .optional(
                            "uri", .string,
                            "Of its absolute path, or as a source gives it, if it does"),
                        .required("icon", .string(from: 1), "The name of the icon of its type"),
                        .required(
                            "genericIcon", .string(from: 1),
                            "The name of the icon of such types, for a theme without the other"),
                        .optional("created", .number, "In seconds since 1970 UTC, if it is known"),
                        .optional(
                            "thumbnail", .string(pattern: "^/"),
                            "The absolute path of a thumbnail that shows it as it is"),
                    ]
            ).described("A document, with what is told of one at a time")))

    package static let item = reference(
        NamedSchema(
            "item",
            either(
                object([
                    .required("kind", .constant("new")), .required("key", .constant("new")),
                ]).described("The offer to make a document"),
                object(
                    [.required("kind", .constant("document")), .required("key", .string)]
                        + documentMembers(areRequired: false) + marks,
                    others: .attributeValue, named: attributePattern
                ).described("A document, with the requested fields")
            ).described("A row of a list")))

    /// Changed members of a document; null for a removed one.
    package static let itemChanges = reference(
        NamedSchema(
            "itemChanges",
            object(
                (documentMembers(areRequired: false) + marks).map {
                    .optional($0.name, $0.schema.orNull)
                },
                others: Schema.attributeValue.orNull, named: attributePattern
            ).described("Changed members; null for a removed one")))

    /// The names of attributes.
    package static let attributePattern = "^([a-z][a-z0-9-]*(\\.[a-z0-9-]+)+|frecency)$"

    /// Whether a member has the name of an attribute, and so is none of the daemon's own.
    package static func isAttributeName(_ name: String) -> Bool {
        name.utf8.contains(UInt8(ascii: ".")) || name == "frecency"
    }

    /// A value of an attribute.
    package static let attributeValue = either(boolean, number, string)

    private static let marks: [Member] = [
        .optional("liked", .constant(true), "Omitted if it is not liked"),
        .optional("dropped", .constant(true), "Omitted if it is not dropped"),
        .optional(
            "m", .array(of: .count),
            "Where each found part of the name begins and ends, in pairs"),
        .optional(
            "mf", .array(of: .count),
            "The same of the path up to its last slash; omitted if nothing is found there"),
    ]

    private static func documentMembers(areRequired: Bool) -> [Member] {
        func member(_ name: String, _ schema: Schema, _ about: String) -> Member {
            areRequired ? .required(name, schema, about) : .optional(name, schema, about)
        }
        return [
            member("name", .string, "U+FFFD replaces bytes that are not UTF-8"),
            member("path", .string, "Relative to the root"),
            member("root", .string, "The root's absolute path"),
            member("size", .count, "In bytes"),
            member("modified", .number, "In seconds since 1970 UTC"),
            member("type", .string, "The MIME type, by the name"),
            .optional("nameB64", .string, "The exact bytes of a name that is not UTF-8"),
            .optional("pathB64", .string, "The exact bytes of a path that is not UTF-8"),
        ]
    }

    /// A whole number that is never rounded.
    package static let exactInteger = reference(
        NamedSchema(
            "exactInteger",
            either(integer(from: 0, to: 1 << 53), string(pattern: "^[1-9][0-9]{15,}$")).described(
                "A whole number; above 2^53, a string of its decimal digits")))

    /// The schema of `NumberStatistics`, preceded by other members.
    package static func statistics(_ first: [Member] = []) -> Schema {
        object(
            first + [
                .required("sum", .exactInteger),
                .required("mean", .exactInteger.orNull, "Rounded to the nearest, ties to even"),
                .required("min", .exactInteger.orNull), .required("max", .exactInteger.orNull),
            ])
    }

    /// The schema of `ValueStatistics`.
    package static let valueStatistics = object([
        .required("count", .count, "The documents that have a value"),
        .optional(
            "sum", exactNumber.orNull,
            "Of numbers; null beyond the greatest number"),
        .optional(
            "mean", number.orNull,
            "Of numbers and of times, like the others; rounded once"),
        .optional("min", exactNumber.orNull), .optional("max", exactNumber.orNull),
    ])

    private static let exactNumber = either(number, string(pattern: "^-?[1-9][0-9]{15,}$"))
}

extension NamedSchema {
    /// The `error` of a reply.
    package static let error = NamedSchema(
        "error",
        .object([
            .required("code", .integer), .required("message", .string(from: 1), "For people"),
            .required(
                "data",
                .object([
                    .required("kind", .string(from: 1), "The stable name of the code"),
                    .optional("at", .string, "The path of the invalid parameter"),
                    .optional("limit", .integer, "The exceeded limit"),
                    .optional("plugin", .string, "The plugin that failed"),
                    .optional("retryAfterMs", .count, "The time after which to retry"),
                    .optional("documents", .count, "The number of documents seen so far"),
                ])),
        ]))
}
