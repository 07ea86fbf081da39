internal import JSONText
internal import WireProtocol

// The definitions of the service's own methods.

extension MethodDefinition {
    static let hello = MethodDefinition(
        "daemon.hello", "Returns the daemon's name and capabilities; optional, best sent first.",
        parameters: [
            .optional("client", .string, "The client's name"),
            .optional("protocol", .count, "The version that the client speaks: 1"),
            .optional(
                "required", .array(of: .string, to: ServiceLimits.capabilities),
                "Capabilities without which the request fails"),
            .optional(
                "optional", .array(of: .string, to: ServiceLimits.capabilities),
                "Capabilities that would be used"),
            .optional(
                "units", .choice("utf8", "utf16", "codepoint"), "The unit of positions in texts"),
            .optional(
                "aliveMs", .integer(from: 100, to: 86_400_000), "The interval of $/alive"),
        ],
        result: .object([
            .required("server", .string(pattern: "^pickerd/"), "Name and version"),
            .required("protocol", .constant(1)),
            .required("epoch", .string, "Identifies one uninterrupted history of revisions"),
            .required("rev", .rev),
            .required(
                "events",
                .object([
                    .required("epoch", .string, "Identifies one history of event numbers"),
                    .required("seq", .count, "The number of the newest event"),
                ])),
            .required(
                "capabilities", .dictionary(of: .constant(true)),
                "The available methods, and their groups"),
            .required(
                "limits",
                .object([
                    .required("line", .count, "The longest line, in bytes"),
                    .required(
                        "queueSoft", .count, "The bytes that may wait before its streams pause"),
                    .required(
                        "queueHard", .count, "The bytes that may wait before it is closed, in time"),
                    .required("subscriptions", .count, "The most open streams of one session"),
                ])),
            .required("units", .choice("utf8", "utf16", "codepoint")),
        ]),
        errors: [.unsupported],
        notifications: [
            NotificationDefinition(
                "$/alive", "A sign of life, at the interval that the client asked for.",
                parameters: .object([.required("rev", .rev)])),
            // It belongs to the connection, not to this method alone.
            NotificationDefinition(
                "$/closed",
                "The stream of that id is closed, because its plugin was switched off.",
                parameters: .object([
                    .required("sub", .id), .required("plugin", .string),
                    .required("message", .string),
                ])),
            NotificationDefinition(
                "$/goodbye", "The last line before the daemon closes the connection.",
                parameters: .object([
                    .required("reason", .choice("slow", "stopping", "limit"))
                ])),
        ])

    static let ping = MethodDefinition("daemon.ping", "Nothing but an answer.", result: .empty)

    /// `daemon.info`, with the members that plugins add to its result.
    static func info(_ members: [Schema.Member] = []) -> MethodDefinition {
        MethodDefinition(
            "daemon.info", "Returns the daemon's status. Plugins add members of their own.",
            result: .object(ownInfo + members))
    }

    private static let ownInfo: [Schema.Member] =
        [
            .required("version", .string), .required("pid", .count),
            .required("uptime", .number(from: 0), "In seconds"),
            .required("rev", .rev), .required("documents", .count),
            .required(
                "degraded",
                .array(
                    of: .object([
                        .required("what", .string, "A stable word for it, as 'settings'"),
                        .required("path", .string, "The file at fault"),
                        .optional("line", .count, "Its line, counted from 1"),
                        .required("reason", .string, "Why, and what to do"),
                    ])), "The degraded parts of the daemon itself"),
            .optional(
                "settings",
                .object([
                    .required("path", .string),
                    .required("read", .boolean, "Whether it exists and could be read"),
                ]), "The settings file, if there is a place for one"),
            .required("clients", .count), .required("subscriptions", .count),
            .required(
                "memory",
                .object([.required("resident", .count.orNull, "In bytes, if it is known")])),
            .required(
                "counters",
                .object([
                    .required("requests", .count), .required("errors", .count),
                    .required("notifications", .count), .required("bytesIn", .count),
                    .required("bytesOut", .count), .required("accepted", .count),
                    .required("refused", .count), .required("slowClients", .count),
                ])),
            .required(
                "statistics",
                .object([
                    .required(
                        "turnNanoseconds", .counted,
                        "The time that one client's requests kept the loop at once"),
                    .required("requestBytes", .counted, "Lines that clients sent"),
                    .required("replyBytes", .counted, "Lines that answer them"),
                ])),
        ]

    static let schema = MethodDefinition(
        "daemon.schema", "Describes every available method, notification and error.",
        result: .openObject([
            .required("openrpc", .constant(.string(OpenRPCDocument.version))),
            .required(
                "info", .object([.required("title", .string), .required("version", .string)])),
            .required("methods", .array(of: .openObject([.required("name", .string)]), from: 1)),
            .required(
                "x-notifications",
                .array(
                    of: .object([
                        .required("name", .string), .required("summary", .string),
                        .required("params", .openObject([])),
                    ]))),
            .required(
                "components",
                .object([
                    .required("schemas", .dictionary(of: .openObject([]))),
                    .required(
                        "errors", .dictionary(of: .openObject([.required("code", .integer)]))),
                ])),
        ]))

    static let reload = MethodDefinition(
        "daemon.reload", "Reads the settings again, as on SIGHUP.", result: .empty,
        errors: [.conflict])

    static let stop = MethodDefinition(
        "daemon.stop", "Ends the daemon, as SIGTERM does.", result: .empty)

    static let batch = MethodDefinition(
        "batch", "Answers several calls at one revision.",
        parameters: [
            .required(
                "calls",
                .array(
                    of: .openObject([
                        .required("method", .string), .optional("params", .openObject([]).orNull),
                    ]), to: 1024))
        ],
        result: .object([
            .required("rev", .rev),
            .required(
                "results",
                .array(
                    of: .either(
                        .object([.required("result", .any, "The result of the call's method")]),
                        .object([.required("error", .reference(.error))])))),
        ]),
        errors: [.unsupported])

    static let cancel = MethodDefinition(
        notification: "$/cancel",
        "Has the request of that id answered with 1002, unless it was done already.",
        parameters: [.required("id", .id)])
}

extension Schema {
    fileprivate static let counted = statistics([.required("count", .count)])
}
