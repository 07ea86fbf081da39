/// What there is to know of a method: its name, what it takes and answers, which errors it has, and which
/// notifications come of it. A method is registered by this, and `daemon.schema` is made of it.
package struct MethodDefinition: Sendable {
    package let name: String
    /// One sentence.
    package let summary: String
    /// The members of its parameters. One that may be left out may be null, too; members that are not
    /// named here are ignored.
    package let parameters: [Schema.Member]
    /// Nil for a notification, which is never answered.
    package let result: Schema?
    /// Beside those that every method may have.
    package let errors: [ProtocolError.Kind]
    /// What is sent later because of it.
    package let notifications: [NotificationDefinition]
    /// Whether its answer is about documents as they are now, so that a request waits for the first scan of
    /// the folders. It has the parameter `timeoutMs` and the error 1001 for that.
    package let waitsForDocuments: Bool
    /// Whether it changes documents, or waits for what has happened to the files. In a batch, it lets others do
    /// so as well.
    package let changesDocuments: Bool

    /// How long a request may wait for documents, in milliseconds.
    package static let waitingTimes = 0...600_000
    package static let usualWaitingTime = 10_000

    package init(
        _ name: String, _ summary: String, parameters: [Schema.Member] = [], result: Schema,
        errors: [ProtocolError.Kind] = [], notifications: [NotificationDefinition] = [],
        waitsForDocuments: Bool = false, changesDocuments: Bool = false
    ) {
        self.name = name
        self.summary = summary
        self.parameters = parameters + (waitsForDocuments ? [Self.timeout] : [])
        self.result = result
        self.errors =
            waitsForDocuments && !errors.contains(.notReady) ? errors + [.notReady] : errors
        self.notifications = notifications
        self.waitsForDocuments = waitsForDocuments
        self.changesDocuments = changesDocuments
    }

    private static let timeout = Schema.Member.optional(
        "timeoutMs", .integer(from: waitingTimes.lowerBound, to: waitingTimes.upperBound),
        "How long to wait while the folders are read for the first time; \(usualWaitingTime) unless given"
    )

    /// A method that clients may only send without an id.
    package init(notification name: String, _ summary: String, parameters: [Schema.Member]) {
        self.name = name
        self.summary = summary
        self.parameters = parameters
        result = nil
        errors = []
        notifications = []
        waitsForDocuments = false
        changesDocuments = false
    }

    /// What any request may be answered with, whatever its method does: parameters of the wrong shape, an
    /// answer that is too long, a `$/cancel`, a fault, a plugin that was switched off meanwhile.
    package static let commonErrors: [ProtocolError.Kind] = [
        .invalidParams, .internalError, .cancelled, .limitExceeded, .pluginFailed,
    ]

    /// What a line may be answered with that is no request for any method.
    package static let lineErrors: [ProtocolError.Kind] = [
        .parseError, .invalidRequest, .methodNotFound,
    ]

    /// All errors that it may be answered with.
    package var allErrors: [ProtocolError.Kind] {
        Self.commonErrors + errors.filter { !Self.commonErrors.contains($0) }
    }
}

/// What the daemon sends without being asked at that moment.
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
