import JSONText
import TerminalCells

/// All that a plugin says about one file, of all groups.
struct FileValues {
    private var values = JSONObject()
    private var faults: [String] = []

    mutating func add(_ answer: FileAnswer) {
        switch answer.content {
        case .values(let new): for member in new.members { values[member.key] = member.value }
        case .none: break
        case .error(let message): faults.append(message)
        case .retry: faults.append("it wants to be asked again")
        }
    }

    /// For people: the path, and below it a line for each value.
    func lines(_ path: String) -> [String] {
        let texts = values.members.map { member in
            "  \(VisibleText.escaping(member.key)) = "
                + VisibleText.escaping(json: member.value.description)
        }
        let errors = faults.map { "  error: " + VisibleText.escaping($0) }
        return [path] + (texts + errors).isEmptyReplaced(by: ["  none"])
    }

    func json(_ path: String) -> JSONValue {
        var object: JSONObject = ["path": .string(path), "values": .object(values)]
        if !faults.isEmpty { object["errors"] = .array(faults.map { .string($0) }) }
        return .object(object)
    }
}

extension [String] {
    fileprivate func isEmptyReplaced(by other: [String]) -> [String] { isEmpty ? other : self }
}
