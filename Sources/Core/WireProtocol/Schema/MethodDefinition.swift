/// The definition of a method: its name, parameters, result, errors, and the notifications it leads to. It
/// registers the method, and `daemon.schema` is generated from it.
package struct MethodDefinition: Sendable {
    package let name: String
    /// One sentence.
    package let summary: String
    /// The members of its parameters. An optional one may be null, too; undefined members are ignored.
    package let parameters: [Schema.Member]
    /// Nil for a notification, which is never answered.
    package let result: Schema?
    /// In addition to the errors of every method.
    package let errors: [ProtocolError.Kind]
    /// The notifications that it leads to.
    package let notifications: [NotificationDefinition]
    /// Whether its answer depends on the documents, so that a request waits for the first scan of the folders.
    /// This adds the parameters `timeoutMs` and `progress`, the notification `$/progress` and the error 1001.
    package let waitsForDocuments: Bool
    /// Whether it changes documents, or waits for pending changes of the files. In a batch, it releases the
    /// change hold.
    package let changesDocuments: Bool

    /// The time that a request may wait for documents, in milliseconds.
    package static let waitingTimes = 0...600_000
    package static let usualWaitingTime = 10_000

    /// The errors of any request, whatever its method: invalid parameters, an answer that is too long, a
    /// `$/cancel`, an internal fault, a plugin switched off meanwhile.
    package static let commonErrors: [ProtocolError.Kind] = [
        .invalidParams, .internalError, .cancelled, .limitExceeded, .pluginFailed,
    ]

    /// All errors of the method.
    package var allErrors: [ProtocolError.Kind] {
        Self.commonErrors + errors.filter { !Self.commonErrors.contains($0) }
    }
}

extension MethodDefinition {
    package init(
        _ name: String, _ summary: String, parameters: [Schema.Member] = [], result: Schema,
        errors: [ProtocolError.Kind] = [], notifications: [NotificationDefinition] = [],
        waitsForDocuments: Bool = false, changesDocuments: Bool = false
    ) {
        self.init(
            name: name, summary: summary,
            parameters: parameters + (waitsForDocuments ? [Self.timeout, .progress] : []),
            result: result,
            errors: waitsForDocuments && !errors.contains(.notReady)
                ? errors + [.notReady] : errors,
            notifications: notifications + (waitsForDocuments ? [.progress] : []),
            waitsForDocuments: waitsForDocuments, changesDocuments: changesDocuments)
    }

    private static let timeout = Schema.Member.optional(
        "timeoutMs", .integer(from: waitingTimes.lowerBound, to: waitingTimes.upperBound),
        "How long to wait while the folders are read for the first time; \(usualWaitingTime) unless given"
    )

    /// A notification from clients, which has no id.
    package init(notification name: String, _ summary: String, parameters: [Schema.Member]) {
        self.init(
            name: name, summary: summary, parameters: parameters, result: nil, errors: [],
            notifications: [], waitsForDocuments: false, changesDocuments: false)
    }
}

/// A notification from the daemon.
package struct NotificationDefinition: Sendable {
    package let name: String
    /// One sentence.
    package let summary: String
    package let parameters: Schema

    package init(_ name: String, _ summary: String, parameters: Schema) {
        self.name = name
        self.summary = summary
        self.parameters = parameters
    }
}

extension NotificationDefinition {
    /// The progress of what a request waits for: a scan, or its own steps. It is one notification, as clients tell
    /// notifications apart by their names.
    package static let progress = NotificationDefinition(
        "$/progress",
        "How far the scan has come that the request of that id waits for, four times a second at most; or how many of "
            + "its own steps are done.",
        parameters: .object([
            .required("id", .id), .optional("documents", .count, "Of a scan: found so far"),
            .optional("folders", .count, "Of a scan: read so far"),
            .optional("foldersWaiting", .count, "Of a scan: known, and not read yet"),
            .optional("done", .count, "Of steps"), .optional("total", .count, "Of steps"),
        ]))
}

extension Schema.Member {
    /// The parameter that asks for `NotificationDefinition.progress`.
    package static let progress = optional(
        "progress", .boolean,
        "Whether $/progress is sent while it waits; false unless given")
}
