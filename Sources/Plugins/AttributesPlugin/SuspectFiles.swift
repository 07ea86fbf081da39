internal import PickerModel

/// Documents that were being read when their reader ended, and how often it ended while it had one of them alone.
final class SuspectFiles {
    /// The falls alone after which a file is not read again.
    static let mostFalls = 2

    private var falls: [KeyNumber: Int] = [:]

    /// Whether a document is to be read alone.
    func contains(_ key: KeyNumber) -> Bool { falls[key] != nil }

    /// A document is to be read alone.
    func add(_ key: KeyNumber) { falls[key] = falls[key] ?? 0 }

    /// A document has been read, or is gone.
    func remove(_ key: KeyNumber) { falls[key] = nil }

    /// Notes that a reader ended while it had a document.
    /// - Returns: whether that is enough: the file can't be read, and is suspected no more.
    func condemns(_ key: KeyNumber, isAlone: Bool) -> Bool {
        let count = (falls[key] ?? 0) + (isAlone ? 1 : 0)
        falls[key] = count < Self.mostFalls ? count : nil
        return count >= Self.mostFalls
    }
}
