internal import WireProtocol

extension MethodDefinition {
    static let collectionsOpen = MethodDefinition(
        "collections.open",
        "Opens a folder as a collection of its own, which is followed as long as a session has it open.",
        parameters: [
            .optional("path", .string(pattern: "^/"), "Absolute"),
            .optional("pathB64", .string, "The same in Base64, for one that is not UTF-8"),
        ],
        result: .object([
            .required("collection", .string, "Its name, for the parameter 'in' of lists"),
            .required("state", .collectionState),
        ]),
        errors: [
            .noSuchItem, .permissionDenied, .conflict, .invalidRequest, .unsupported,
        ], changesDocuments: true)

    static let collectionsClose = MethodDefinition(
        "collections.close", "Closes a collection that this session has opened.",
        parameters: [.required("collection", .string)], result: .empty,
        errors: [.noSuchItem], changesDocuments: true)

    static let collectionsList = MethodDefinition(
        "collections.list", "The collections from which lists can be drawn.",
        result: .array(
            of: .object([
                .required("collection", .string),
                .required(
                    "kind", .choice("documents", "root", "folder", "source"),
                    "All roots together; one of them; a folder that a session has opened; what a plugin has"
                ),
                .required("documents", .count, "Also dropped ones"),
                .required("state", .collectionState),
                .optional("path", .string(pattern: "^/"), "Of a root or a folder"),
                .optional("title", .string, "Of a source, for people"),
                .optional("pathB64", .string, "The same in Base64, for one that is not UTF-8"),
            ])))
}

extension Schema {
    fileprivate static let collectionState = choice(
        "waiting", "scanning", "watching", "polling", "missing", "refused"
    ).described(
        "As of a root; 'refused' if it had more documents than leased folders may have; 'waiting' for a source "
            + "that nobody has asked for, and 'missing' for one whose plugin does not answer")
}
