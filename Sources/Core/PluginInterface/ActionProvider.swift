package import PickerModel
package import WireProtocol

/// A part of the daemon that offers actions: things to do with documents.
package protocol ActionProvider: AnyObject {
    /// Those that it offers now, in order.
    var actions: [OfferedAction] { get }

    /// Begins one of its actions, whose end it tells the run, later or at once. The documents were looked up, and are
    /// those that the action is offered for.
    /// - Throws: if it can't be begun.
    func begin(_ run: ActionRun) throws(ProtocolError)
}

/// Something to do with documents, as clients see it.
package struct OfferedAction {
    /// `<plugin>.<id>`
    package let id: String
    package let title: String
    /// Whether it takes several documents at once.
    package let takesMany: Bool
    /// Whether it changes files, and so needs a confirmation.
    package let writes: Bool
    /// The documents that it is offered for; nil for all.
    package let filter: DocumentFilter?
    /// Whether it is for documents. Any other is in no list, and has what it needs in its arguments.
    package let isForDocuments: Bool

    package init(
        id: String, title: String, takesMany: Bool, writes: Bool, filter: DocumentFilter? = nil,
        isForDocuments: Bool = true
    ) {
        self.id = id
        self.title = title
        self.takesMany = takesMany
        self.writes = writes
        self.filter = filter
        self.isForDocuments = isForDocuments
    }
}

/// A document that something is done to.
package struct ActionTarget {
    package let key: String
    /// Absolute; nil for an item of a source that is no file here.
    package let path: FileName?
    /// Of an item of a source.
    package let uri: String?

    package init(key: String, path: FileName?, uri: String? = nil) {
        self.key = key
        self.path = path
        self.uri = uri
    }
}

/// What became of one document, or of one of the arguments of an action that is for none.
package enum ActionOutcome: Hashable, Sendable {
    case done
    /// The file is somewhere else now: its URI.
    case moved(to: String)
    case failed(String)

    package var isDone: Bool {
        if case .failed = self { false } else { true }
    }
}
