internal import JSONText
internal import WireProtocol

extension Schema {
    private static let topic = string(
        from: 1, to: 128, pattern: "^[a-z0-9-]+(\\.[a-z0-9-]+)*$")

    fileprivate static let topics = array(of: string, to: 256).described(
        "Topics; 'a.*' is all below 'a', '*' is all, '!' takes away again")

    /// The members of an event that are the same for all subscribers.
    fileprivate static let eventMembers: [Member] = [
        .required("seq", integer(from: 1), "One larger than that of the event before"),
        .required("time", number, "In seconds since 1970 UTC"),
        .required("topic", topic), .optional("data", any, "As it was published"),
    ]

    fileprivate static let publishedTopic = topic
}

extension MethodDefinition {
    static let eventsPublish = MethodDefinition(
        "events.publish", "Sends an event to all who subscribed to its topic.",
        parameters: [
            .required("topic", .publishedTopic),
            .optional("data", .any, "Whatever the event is about"),
        ],
        result: .object([.required("seq", .integer(from: 1))]),
        errors: [.permissionDenied, .overloaded])

    static let eventsSubscribe = MethodDefinition(
        "events.subscribe", "Opens a subscription, under the id of the request.",
        parameters: [
            .required("topics", .topics),
            .optional(
                "replay", .integer(from: 0, to: Int(Int32.max)), "How many past events come first"),
            .optional(
                "since", .string(pattern: "^.+:[0-9]+$"),
                "After which event to begin: \"epoch:seq\""),
        ],
        result: .object([
            .required("sub", .id), .required("epoch", .string),
            .required("from", .integer(from: 1), "The number that is looked at first"),
            .required("lost", .count, "How many after 'since' are no longer kept"),
            .required("oldest", .integer(from: 1), "The oldest number that is kept"),
        ]),
        errors: [.conflict, .unsupported, .invalidRequest],
        notifications: [
            NotificationDefinition(
                "event", "An event.",
                parameters: .object(
                    [.required("sub", .id)] + Schema.eventMembers
                        + [.optional("replayed", .constant(true), "It was before the subscription")]
                )),
            NotificationDefinition(
                "$/lost", "Events that are no longer kept, and were not sent to this subscriber.",
                parameters: .object([
                    .required("sub", .id), .required("from", .integer(from: 1)),
                    .required("to", .integer(from: 1)), .required("reason", .constant("slow")),
                ])),
        ])

    static let eventsUnsubscribe = MethodDefinition(
        "events.unsubscribe", "Closes a subscription; nothing more of it is sent.",
        parameters: [.required("sub", .id)], result: .empty, errors: [.noSuchSubscription])

    static let eventsReplay = MethodDefinition(
        "events.replay", "The last events that are kept, the oldest first.",
        parameters: [
            .required("topics", .topics),
            .optional("count", .integer(from: 0, to: Int(Int32.max)), "All unless given"),
        ],
        result: .object([.required("events", .array(of: .object(Schema.eventMembers)))]))
}
