internal import WireProtocol

extension MethodDefinition {
    static let documentsGet = MethodDefinition(
        "documents.get", "One document, by its key or its path.",
        parameters: [
            .optional("key", .string), .optional("path", .string, "From its root, or absolute"),
            .optional("pathB64", .string, "The same in Base64, for one that is not UTF-8"),
        ],
        result: .documentInFull, errors: [.noSuchItem], waitsForDocuments: true)

    static let documentsWhy = MethodDefinition(
        "documents.why", "Why a path is a document, or is not.",
        parameters: [
            .optional("path", .string(pattern: "^/"), "Absolute"),
            .optional("pathB64", .string, "The same in Base64, for one that is not UTF-8"),
        ],
        result: .object([
            .required("isDocument", .boolean),
            .required(
                "reason",
                .choice(
                    "document", "outside", "root", "root-missing", "absent", "folder", "link",
                    "other", "hidden", "version-control", "cache", "temporary", "setting",
                    "ignore-file", "depth", "unreadable", "not-yet")),
            .required("text", .string, "The same for people"),
            .required("at", .string, "What it is about: the path, or a folder on the way to it"),
            .optional("root", .string(pattern: "^/")),
            .optional("key", .string, "Of the document"),
        ]))

    static let documentsCreate = MethodDefinition(
        "documents.create", "Makes a file, and never replaces one.",
        parameters: [
            .required("name", .string(from: 1, to: 255), "Without folders"),
            .optional("root", .string, "One of the roots; the first unless given"),
            .optional("content", .string, "Nothing unless given"),
        ],
        result: .documentInFull,
        errors: [
            .conflict, .permissionDenied, .overloaded, .notReady, .outsideRoot, .noSuchItem,
        ], changesDocuments: true)

    static let sync = MethodDefinition(
        "sync",
        "Waits until every change made to the folders before is in the revision it answers.",
        parameters: [
            .optional("timeoutMs", .integer(from: 0, to: 600_000), "1000 unless given"),
            .progress,
        ],
        result: .object([.required("rev", .rev)]),
        errors: [.timeout, .notReady], notifications: [.progress], changesDocuments: true)
}
