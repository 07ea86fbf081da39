internal import Observables
package import PickerModel

/// Tells when many listed documents have changed: results that are kept up to date although nobody asks for them take a
/// test for each of these.
package final class ChangeMeter {
    /// The changed rows after which it tells.
    package static let rowsUntilTold = 4096

    private var rows = 0
    private var following: Connection?

    /// `body` is called before those are told of a change who connect later.
    package init(of documents: DocumentStore, _ body: @escaping () -> Void) {
        following = documents.documents(in: .listed).changes.connect { [unowned self] change in
            rows += change.removed.count + change.inserted.count
            if rows < Self.rowsUntilTold { return }
            rows = 0
            body()
        }
    }
}
