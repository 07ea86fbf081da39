internal import JSONText
internal import WireProtocol

// Pages, likes, and what is dropped.

extension PickerConnection {
    /// One page of a list.
    ///
    /// - Parameters:
    ///   - index: the page's number, from 1.
    ///   - size: how many items it has at most; from 1 to 1,000.
    ///   - query: which items, in which order. Its window counts for nothing.
    ///   - token: the token of a page that was had before. This one is then found from there: the page
    ///     behind it begins where that one ended. Without, items are counted from the start of the list.
    /// - Returns: the page; one behind the end has no items.
    public func page(
        _ index: Int, size: Int = 20, of query: ListQuery = ListQuery(), after token: String? = nil
    ) -> Reply<FeedPage> {
        var parameters = query.parameters
        parameters["window"] = nil
        parameters["index"] = JSONValue(index)
        parameters["size"] = JSONValue(size)
        if let token { parameters["token"] = .string(token) }
        return call("items.page", RawJSON(parameters)) { view in
            do {
                let page = try ItemsPage(decoding: view)
                return .success(FeedPage(page))
            } catch {
                return .failure(
                    ClientError(.badMessage, "the daemon's answer is not as agreed: \(error)"))
            }
        }
    }

    /// Likes a document, or no longer.
    ///
    /// - Parameters:
    ///   - key: the document's.
    ///   - isLiked: whether it is to be liked; nil for the other way round.
    /// - Returns: whether it is liked now.
    @discardableResult
    public func like(key: String, _ isLiked: Bool? = true) -> Reply<Bool> {
        var parameters: JSONObject = ["key": .string(key)]
        if let isLiked { parameters["liked"] = .bool(isLiked) }
        return call("items.like", RawJSON(parameters), Self.isLiked)
    }

    /// Likes documents, or no longer: all of them or none.
    ///
    /// - Parameters:
    ///   - keys: the documents', at most 1,000.
    ///   - isLiked: whether they are to be liked.
    /// - Returns: whether they are liked now.
    @discardableResult
    public func like(keys: [String], _ isLiked: Bool) -> Reply<Bool> {
        let parameters: JSONObject = ["keys": Self.array(keys), "liked": .bool(isLiked)]
        return call("items.like", RawJSON(parameters), Self.isLiked)
    }

    /// Takes documents out of all lists, all of them or none; the files stay. `keys` are at most 1,000.
    @discardableResult
    public func drop(keys: [String]) -> Reply<Void> {
        call("items.drop", RawJSON(["keys": Self.array(keys)])) { _ in .success(()) }
    }

    /// Takes documents that were dropped into the lists again, all of them or none. `keys` are at most
    /// 1,000.
    @discardableResult
    public func restore(keys: [String]) -> Reply<Void> {
        call("items.restore", RawJSON(["keys": Self.array(keys)])) { _ in .success(()) }
    }

    /// Takes everything that was dropped into the lists again.
    @discardableResult
    public func restoreAll() -> Reply<Void> {
        call("items.restore", RawJSON(["all": true])) { _ in .success(()) }
    }

    private static func array(_ keys: [String]) -> JSONValue {
        .array(keys.map { .string($0) })
    }

    private static func isLiked(_ view: JSONView) -> Result<Bool, ClientError> {
        guard let isLiked = (try? view.object())?["liked"]?.boolValue else {
            return .failure(
                ClientError(
                    .badMessage, "the daemon's answer is not as agreed: 'liked' is missing"))
        }
        return .success(isLiked)
    }
}
