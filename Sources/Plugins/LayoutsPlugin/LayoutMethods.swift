internal import JSONText
internal import WireProtocol

// Methods for the frames of the items of a list.

extension Schema {
    private static let length = number(from: 0)

    private static let insets = tuple(length, length, length, length).described(
        "Top, left, bottom, right")

    private static let point = tuple(number, number)

    fileprivate static let size = tuple(length, length).described("Width and height, in pixels")

    /// The options of all kinds; each kind has some of them.
    fileprivate static let layoutOptions = object([
        .optional("rowHeight", length, "list: 44 unless given"),
        .optional(
            "spacing", either(length, tuple(length, length)), "list: one number; grid, flow: two"),
        .optional("insets", insets, "list, grid, flow"),
        .optional("cell", size, "grid, force"),
        .optional("minWidth", number(from: 1), "grid, in place of 'cell'"),
        .optional("align", choice("leading", "center", "justified"), "flow"),
        .optional("estimated", size, "flow"),
        .optional("stiffness", number(from: 1e-9, to: 1e9), "force"),
        .optional("charge", either(number(from: 0), constant("auto")), "force"),
        .optional(
            "threshold", length,
            "force: rests when all cells together move no farther in a tick; up to 2048 cells"),
        .optional(
            "start", either(choice("sunflower", "random", "center", "border"), point), "force"),
        .optional("seed", count, "force"), .optional("avoidOverlaps", boolean, "force"),
        .optional("intervalMs", integer(from: 10, to: 60_000), "force"),
        .optional("mode", choice("stream", "final"), "force"),
    ])
}

extension NotificationDefinition {
    static let layoutFrames = NotificationDefinition(
        "layout.frames", "Frames that have changed, and the keys of those that are gone.",
        parameters: .object([
            .required("sub", .id), .required("items", .id, "The list that is laid out"),
            .required("rev", .rev), .required("tick", .count),
            .required("movement", .number(from: 0)),
            .required("content", .size),
            .required(
                "frames", .array(of: .tuple(.string, .number, .number, .number, .number)),
                "Key, x, y, width, height; the origin is top left"),
            .required("gone", .array(of: .string)),
        ]))

    static let layoutFinished = NotificationDefinition(
        "layout.finished", "A force layout has come to its end.",
        parameters: .object([
            .required("sub", .id), .required("rev", .rev), .required("ticks", .count),
            .required("movement", .number(from: 0)),
            .optional("rest", .constant(false), "It ended for another reason than rest"),
        ]))

    static let layoutClosed = NotificationDefinition(
        "layout.closed", "The daemon has ended a layout; nothing more of it is sent.",
        parameters: .object([
            .required("sub", .id), .required("items", .id), .required("reason", .string),
            .required("message", .string, "For people"),
        ]))
}

extension MethodDefinition {
    static let layoutOpen = MethodDefinition(
        "layout.open", "Lays out the items of an open list, under the id of the request.",
        parameters: [
            .required("items", .id, "The list"),
            .required("kind", .choice("list", "grid", "flow", "force")),
            .required("bounds", .size), .optional("options", .layoutOptions),
        ],
        result: .object([.required("sub", .id)]),
        errors: [.noSuchSubscription, .conflict, .unsupported, .invalidRequest, .overloaded],
        notifications: [.layoutFrames, .layoutFinished, .layoutClosed])

    static let layoutUpdate = MethodDefinition(
        "layout.update", "Changes a layout: what is given, and nothing else.",
        parameters: [
            .required("sub", .id), .optional("bounds", .size), .optional("options", .layoutOptions),
            .optional("kind", .choice("list", "grid", "flow", "force"), "The one that it has"),
        ],
        result: .empty, errors: [.noSuchSubscription, .overloaded])

    static let layoutMeasure = MethodDefinition(
        "layout.measure", "Says how large items turned out; all layouts of the client use it.",
        parameters: [
            .required("sub", .id),
            .required("sizes", .array(of: .tuple(.string, .number(from: 0), .number(from: 0)))),
        ],
        result: .empty, errors: [.noSuchSubscription, .overloaded])

    static let layoutPush = MethodDefinition(
        "layout.push", "Pushes a cell of a force layout, for one tick.",
        parameters: [
            .required("sub", .id), .required("key", .string),
            .required("force", .tuple(.number, .number)),
        ],
        result: .empty, errors: [.noSuchSubscription, .noSuchItem])

    static let layoutClose = MethodDefinition(
        "layout.close", "Ends a layout; nothing more of it is sent.",
        parameters: [.required("sub", .id)], result: .empty, errors: [.noSuchSubscription])
}
