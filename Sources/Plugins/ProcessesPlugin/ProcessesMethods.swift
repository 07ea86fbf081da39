internal import JSONText
internal import WireProtocol

extension Schema {
    fileprivate static let logLines = array(
        of: .object([
            .required("number", .integer(from: 1), "One larger than that of the line before"),
            .required("time", .number, "In seconds since 1970 UTC"),
            .required("text", .string),
        ]))
}

extension MethodDefinition {
    static let pluginsLog = MethodDefinition(
        "plugins.log", "The last lines that a plugin's processes printed, the oldest first.",
        parameters: [
            .required("id", .string, "Of the plugin"),
            .optional("count", .count, "The most lines; all that are kept unless given"),
            .optional(
                "follow", .boolean,
                "Whether later lines are sent as they come, as plugins.logged under the id of the request"
            ),
        ],
        result: .object([
            .required("lines", .logLines), .optional("sub", .id, "Of what follows"),
        ]),
        errors: [.noSuchItem, .conflict, .unsupported, .invalidRequest],
        notifications: [
            NotificationDefinition(
                "plugins.logged", "Lines that a plugin's process has printed.",
                parameters: .object([
                    .required("sub", .id), .required("lines", .logLines),
                    .optional("lost", .integer(from: 1), "How many before them are no longer kept"),
                ]))
        ])

    static let pluginsUnfollow = MethodDefinition(
        "plugins.unfollow", "Ends what plugins.log has begun; nothing more of it is sent.",
        parameters: [.required("sub", .id)], result: .empty, errors: [.noSuchSubscription])
}
