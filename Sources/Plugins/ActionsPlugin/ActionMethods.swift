internal import JSONText
internal import WireProtocol

extension MethodDefinition {
    static let actionsList = MethodDefinition(
        "actions.list", "The actions whose conditions hold for all of these documents.",
        parameters: [
            .required("keys", .array(of: .string, from: 1, to: ActionRequest.mostKeys))
        ],
        result: .array(
            of: .object([
                .required("id", .string, "<plugin>.<id>"),
                .required("title", .string, "For people"),
                .required("many", .boolean, "Whether it takes several documents at once"),
                .required(
                    "writes", .boolean,
                    "Whether it changes files; then actions.run needs 'confirm'"),
            ])),
        errors: [.noSuchItem, .overloaded], waitsForDocuments: true)

    static let actionsRun = MethodDefinition(
        "actions.run", "Does something to documents, and says what became of each.",
        parameters: [
            .required("action", .string, "Its id, of actions.list"),
            .required(
                "keys", .array(of: .string, to: ActionRequest.mostKeys),
                "Of the documents; none for documents.untrash"),
            .optional(
                "args", .openObject([]),
                "For the action; of documents.untrash: 'uris', which documents.trash has answered"),
            .optional("confirm", .constant(true), "Needed if the action 'writes'"),
        ],
        result: .object([
            .required(
                "items",
                .array(
                    of: .object([
                        .optional("key", .string), .optional("ok", .constant(true)),
                        .optional("uri", .string, "Where the file is now, if it was moved"),
                        .optional("error", .string, "Why nothing was done to it"),
                    ])), "In the order of the keys")
        ]),
        errors: [
            .noSuchItem, .overloaded, .notReady, .timeout, .unsupported, .permissionDenied,
            .conflict, .outsideRoot,
        ], waitsForDocuments: true, changesDocuments: true)
}
