internal import JSONText
internal import WireProtocol

// Actions and visits.

extension DaemonRequest<[DocumentAction]> {
    /// The actions that can be done to all of these documents: `actions.list`. `keys` are at most 1,000.
    public static func actions(keys: [String]) -> DaemonRequest {
        DaemonRequest(
            "actions.list", RawJSON(["keys": .array(keys.map { .string($0) })])
        ) { result in
            guard result.kind == .array, let elements = try? result.elements() else {
                return .failure(.notAsAgreed("no array"))
            }
            do throws(ProtocolError) {
                var actions: [DocumentAction] = []
                for element in elements {
                    actions.append(try DocumentAction(reading: ParameterReader(element)))
                }
                return .success(actions)
            } catch {
                return .failure(.notAsAgreed(error.message))
            }
        }
    }
}

extension DaemonRequest<[ActionResult]> {
    /// Does something to documents: `actions.run`. There is one result for each key, in their order.
    ///
    /// - Parameters:
    ///   - action: its id.
    ///   - keys: the keys of the documents, at most 1,000.
    ///   - arguments: an object, for the action.
    ///   - isConfirmed: whether it may change files.
    /// - Returns: the request.
    public static func run(
        _ action: String, keys: [String], arguments: RawJSON? = nil, isConfirmed: Bool = false
    ) -> DaemonRequest {
        var parameters: JSONObject = [
            "action": .string(action), "keys": .array(keys.map { .string($0) }),
        ]
        if isConfirmed { parameters["confirm"] = true }
        if let arguments, let value = try? arguments.fragment.view.value() {
            parameters["args"] = value
        }
        return DaemonRequest("actions.run", RawJSON(parameters)) { view in
            reading(view) { reader throws(ProtocolError) in
                var results: [ActionResult] = []
                for item in try reader.objects("items") {
                    results.append(try ActionResult(reading: item))
                }
                return results
            }
        }
    }

    /// Puts files back that `documents.trash` has moved to the trash, by the URIs that it has answered, at most 1,000.
    /// There is one result for each.
    public static func untrash(uris: [String]) -> DaemonRequest {
        run(
            "documents.untrash", keys: [],
            arguments: RawJSON(["uris": .array(uris.map { .string($0) })]), isConfirmed: true)
    }
}

extension DaemonRequest<Void> {
    /// Counts a visit of documents: `items.visited`. `keys` are at most 1,000.
    public static func visited(keys: [String]) -> DaemonRequest {
        nothing("items.visited", ["keys": .array(keys.map { .string($0) })])
    }
}
