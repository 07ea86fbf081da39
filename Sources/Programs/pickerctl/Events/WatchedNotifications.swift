import JSONText
package import PickerClient
import WireProtocol

// The daemon's notifications of one list, as `watch --json` prints them: with each document's absolute path
// and, unless requested, without the row for a new document, which is the first row of a list without a
// search. All other rows then move up by one.

package struct WatchedNotifications {
    /// Whether the list has a row for a new document that is hidden.
    private let hidesNew: Bool
    /// Whether that row is in the window.
    private let isInWindow: Bool

    package init(hidingNew: Bool, from start: Int) {
        hidesNew = hidingNew
        isInWindow = hidingNew && start == 0
    }

    /// The notification to print; unchanged if it is not of a list. `edits` are the changes of rows, if it
    /// is a delta.
    package func text(_ line: [UInt8], _ edits: [ListEdit]) -> String {
        guard case .object(var message)? = try? JSONValue(parsing: line, limits: Self.limits),
            case .object(var params)? = message["params"]
        else { return String(decoding: line, as: UTF8.self) }
        switch message["method"]?.stringValue {
        case "items.reset": reset(&params)
        case "items.delta": delta(&params, edits)
        default: return String(decoding: line, as: UTF8.self)
        }
        message["params"] = .object(params)
        return String(decoding: JSONValue.object(message).bytes, as: UTF8.self)
    }

    private static let limits = JSONLimits(depth: 32, bytes: 16 << 20)

    private func reset(_ params: inout JSONObject) {
        place(&params)
        let items = params["items"]?.arrayValue ?? []
        params["items"] = .array(
            items.filter { !hidesNew || $0["kind"] != "new" }.map(Self.withPath))
    }

    private func delta(_ params: inout JSONObject, _ edits: [ListEdit]) {
        place(&params)
        var changed: [Int64: ListItem] = [:]
        for case .updated(let item, let index, _) in edits { changed[Int64(index)] = item }
        if case .array(let places)? = params["deleted"] {
            params["deleted"] = .array(places.map(up))
        }
        if case .array(let pairs)? = params["moved"] {
            params["moved"] = .array(pairs.map { .array(($0.arrayValue ?? []).map(up)) })
        }
        for name in ["inserted", "updated"] {
            guard case .array(let entries)? = params[name] else { continue }
            params[name] = .array(
                entries.map { entry in
                    guard let pair = entry.arrayValue, pair.count == 2 else { return entry }
                    var row = pair[1]
                    if name == "inserted" {
                        row = Self.withPath(row)
                    } else if let item = pair[0].integerValue.flatMap({ changed[$0] }) {
                        row = Self.moved(row, to: item)
                    }
                    return [up(pair[0]), row]
                })
        }
    }

    /// Counts without the hidden row.
    private func place(_ params: inout JSONObject) {
        guard hidesNew else { return }
        for name in isInWindow ? ["total"] : ["total", "start"] {
            if let count = params[name]?.integerValue { params[name] = .integer(max(0, count - 1)) }
        }
    }

    private func up(_ place: JSONValue) -> JSONValue {
        guard isInWindow, let index = place.integerValue else { return place }
        return .integer(max(0, index - 1))
    }

    private static func withPath(_ row: JSONValue) -> JSONValue {
        guard case .object(var members) = row, let item = try? ItemRecord(decoding: row),
            let path = JSONRows.absolutePath(of: ListItem(item))
        else { return row }
        members["absolutePath"] = .string(path)
        return .object(members)
    }

    /// For a moved document, the whole path as well.
    private static func moved(_ row: JSONValue, to item: ListItem) -> JSONValue {
        guard case .object(var members) = row,
            members["path"] != nil || members["root"] != nil || members["pathB64"] != nil,
            let path = JSONRows.absolutePath(of: item)
        else { return row }
        members["absolutePath"] = .string(path)
        return .object(members)
    }
}
