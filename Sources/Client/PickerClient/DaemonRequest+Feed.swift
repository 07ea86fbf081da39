internal import JSONText
internal import WireProtocol

// Pages, likes and drops.

extension DaemonRequest<FeedPage> {
    /// One page of a list: `items.page`.
    ///
    /// - Parameters:
    ///   - index: the page's number, from 1.
    ///   - size: the most items of the page, from 1 to 1,000.
    ///   - query: the items and their order. Its window has no effect.
    ///   - token: the token of an earlier page. This page is then found relative to it: the next page
    ///     begins where that one ended. Without a token, items are counted from the start of the list.
    /// - Returns: the request; a page beyond the end has no items.
    public static func page(
        _ index: Int, size: Int = 20, of query: ListQuery = ListQuery(), after token: String? = nil
    ) -> DaemonRequest {
        var parameters = query.parameters
        parameters["window"] = nil
        parameters["index"] = JSONValue(index)
        parameters["size"] = JSONValue(size)
        if let token { parameters["token"] = .string(token) }
        return DaemonRequest("items.page", RawJSON(parameters), as: ItemsPage.self) { FeedPage($0) }
    }
}

extension DaemonRequest<Bool> {
    /// Likes a document, or removes the like: `items.like`. The answer is the new value.
    ///
    /// - Parameters:
    ///   - key: the key of the document.
    ///   - isLiked: the new value; nil reverses it.
    /// - Returns: the request.
    public static func like(key: String, _ isLiked: Bool? = true) -> DaemonRequest {
        var parameters: JSONObject = ["key": .string(key)]
        if let isLiked { parameters["liked"] = .bool(isLiked) }
        return like(parameters)
    }

    /// Likes documents, or removes the likes, all of them or none: `items.like`. The answer is the new
    /// value.
    ///
    /// - Parameters:
    ///   - keys: the keys of the documents, at most 1,000.
    ///   - isLiked: the new value.
    /// - Returns: the request.
    public static func like(keys: [String], _ isLiked: Bool) -> DaemonRequest {
        like(["keys": .array(keys.map { .string($0) }), "liked": .bool(isLiked)])
    }

    private static func like(_ parameters: JSONObject) -> DaemonRequest {
        DaemonRequest("items.like", RawJSON(parameters)) { view in
            reading(view) { reader throws(ProtocolError) in try reader.bool("liked") }
        }
    }
}

extension DaemonRequest<Void> {
    /// Drops documents from all lists, all of them or none; the files stay: `items.drop`. `keys` are at
    /// most 1,000.
    public static func drop(keys: [String]) -> DaemonRequest {
        nothing("items.drop", ["keys": .array(keys.map { .string($0) })])
    }

    /// Returns dropped documents to the lists, all of them or none: `items.restore`. `keys` are at most
    /// 1,000.
    public static func restore(keys: [String]) -> DaemonRequest {
        nothing("items.restore", ["keys": .array(keys.map { .string($0) })])
    }

    /// Returns all dropped documents to the lists: `items.restore`.
    public static var restoreAll: DaemonRequest { nothing("items.restore", ["all": true]) }
}
