internal import JSONText
internal import ListRequests
internal import WireProtocol

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

extension NotificationDefinition {
    static let itemsPending = NotificationDefinition(
        "items.pending",
        "How many documents are still to be read for the attributes on which a list depends.",
        parameters: .object([
            .required("sub", .id),
            .required("attributes", .dictionary(of: .count), "By the name of the attribute"),
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
        notifications: [.itemsReset, .itemsDelta, .itemsPending])

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
            .pending,
        ]),
        errors: [.unsupported, .badExpression, .overloaded], waitsForDocuments: true)

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
            .pending,
        ]),
        errors: [.unsupported, .badExpression], waitsForDocuments: true)
}

extension Schema {
    fileprivate static let pageNumber = integer(from: 1, to: PageRequest.mostPages)
}
