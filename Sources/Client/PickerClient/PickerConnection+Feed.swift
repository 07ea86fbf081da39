internal import JSONText
internal import WireProtocol

// Pages, likes and drops.

extension PickerConnection {
    /// One page of a list.
    ///
    /// - Parameters:
    ///   - index: the page's number, from 1.
    ///   - size: the most items of the page, from 1 to 1,000.
    ///   - query: the items and their order. Its window has no effect.
    ///   - token: the token of an earlier page. This page is then found relative to it: the next page
    ///     begins where that one ended. Without a token, items are counted from the start of the list.
    /// - Returns: the page; a page beyond the end has no items.
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

    /// Likes a document, or removes the like.
    ///
    /// - Parameters:
    ///   - key: the key of the document.
    ///   - isLiked: the new value; nil reverses it.
    /// - Returns: the new value.
    @discardableResult
    public func like(key: String, _ isLiked: Bool? = true) -> Reply<Bool> {
        var parameters: JSONObject = ["key": .string(key)]
        if let isLiked { parameters["liked"] = .bool(isLiked) }
        return call("items.like", RawJSON(parameters), Self.isLiked)
    }

    /// Likes documents, or removes the likes: all of them or none.
    ///
    /// - Parameters:
    ///   - keys: the keys of the documents, at most 1,000.
    ///   - isLiked: the new value.
    /// - Returns: the new value.
    @discardableResult
    public func like(keys: [String], _ isLiked: Bool) -> Reply<Bool> {
        let parameters: JSONObject = ["keys": Self.array(keys), "liked": .bool(isLiked)]
        return call("items.like", RawJSON(parameters), Self.isLiked)
    }

    /// Drops documents from all lists, all of them or none; the files stay. `keys` are at most 1,000.
    @discardableResult
    public func drop(keys: [String]) -> Reply<Void> {
        call("items.drop", RawJSON(["keys": Self.array(keys)])) { _ in .success(()) }
    }

    /// Returns dropped documents to the lists, all of them or none. `keys` are at most 1,000.
    @discardableResult
    public func restore(keys: [String]) -> Reply<Void> {
        call("items.restore", RawJSON(["keys": Self.array(keys)])) { _ in .success(()) }
    }

    /// Returns all dropped documents to the lists.
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
