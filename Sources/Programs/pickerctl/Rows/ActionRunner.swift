import PickerClient
import TerminalCells

/// Does something to documents that are named by paths, and tells what could not be done.
struct ActionRunner {
    private let connection: PickerConnection

    init(on connection: PickerConnection) { self.connection = connection }

    /// Runs an action, on at most `limit` documents at once. `told` gives the line for a document to which it was done;
    /// nil for none.
    /// - Throws: if one of the documents does not exist, before anything is done; `ExitStatus.no` if it could not be
    ///   done to all of them, after that was said for each.
    func run(
        _ action: String, on paths: [String], arguments: RawJSON? = nil,
        isConfirmed: Bool = false, atOnce limit: Int = DocumentFinder.mostAtOnce,
        telling told: (_ path: String, ActionResult) -> String? = { _, _ in nil }
    ) throws {
        let documents = try DocumentFinder(on: connection).find(paths, on: connection)
        var named: [(key: String, path: String)] = []
        var seen: Set<String> = []
        for (path, document) in zip(paths, documents) where seen.insert(document.key).inserted {
            named.append((document.key, RawArguments.shown(path)))
        }
        var isDone = true
        var rest = named[...]
        while !rest.isEmpty {
            let part = rest.prefix(limit)
            rest = rest.dropFirst(part.count)
            let results = try connection.send(
                .run(
                    action, keys: part.map(\.key), arguments: arguments, isConfirmed: isConfirmed)
            ).wait()
            for ((_, path), result) in zip(part, results) {
                if let error = result.error {
                    isDone = false
                    Program.complain("\(path): \(error)")
                } else if let line = told(path, result) {
                    try Output.standard.writeLine(VisibleText.escaping(line))
                }
            }
        }
        if !isDone { throw ExitStatus.no }
    }
}
