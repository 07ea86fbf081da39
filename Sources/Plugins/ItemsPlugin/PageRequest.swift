internal import JSONText
internal import ListRequests
internal import PickerModel
internal import WireProtocol

/// A request for a page: the list, the page number, and optionally the token of a page that the client has.
struct PageRequest {
    /// The largest page, in items.
    static let mostItems = 1000
    /// The highest page number. It is beyond the end of any list, and adding one does not overflow.
    static let mostPages = Int(Int32.max)
    static let usualSize = 20

    let list: ListRequest
    /// Counted from 1.
    let index: Int
    let size: Int
    /// The page that the client already has.
    let token: PageToken?
    /// Identifies the query that the pages belong to.
    let fingerprint: String

    init(
        reading params: ParameterReader, knowing attributes: AttributeDirectory, epoch: String
    ) throws(ProtocolError) {
        list = try ListRequest(reading: params, knowing: attributes)
        if list.orderName.ranking != nil {
            throw .unsupported(
                "pages can't be sorted by 'score': ask items.get for a window of rows", at: "sort")
        }
        index = try params.optionalInt("index", in: 1...Self.mostPages) ?? 1
        size = try params.optionalInt("size", in: 1...Self.mostItems) ?? Self.usualSize
        fingerprint = Self.fingerprint(of: list, params)
        guard let text = try params.optionalString("token") else {
            token = nil
            return
        }
        guard let token = PageToken(text, by: list.sortOrder.attributes) else {
            throw Self.refused("is not one that this daemon gave")
        }
        guard token.epoch == epoch else {
            throw Self.refused("was given before the daemon was started again")
        }
        guard token.fingerprint == fingerprint else {
            throw Self.refused("was given for another query (sort, search, match, where or in)")
        }
        self.token = token
    }

    private static func refused(_ why: String) -> ProtocolError {
        .invalidParams(
            at: "token", "'token' \(why): leave it out to find a page by its index alone")
    }

    /// Distinguishes queries whose pages are unrelated. A hash (FNV-1a, 64 bits) suffices: it catches
    /// mistakes, and a client that forges a token deceives only itself.
    private static func fingerprint(of list: ListRequest, _ params: ParameterReader) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func mix(_ bytes: some Sequence<UInt8>) {
            for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            // A separator: 0xff does not occur in UTF-8.
            hash = (hash ^ 0xff) &* 0x100_0000_01b3
        }
        for key in list.sortOrder.keys { mix(key.utf8) }
        mix((list.search?.text ?? "").utf8)
        for name in ["match", "where"] {
            if let view = params.view(name) { mix(view.bytes) } else { mix([]) }
        }
        if case .named(let names) = list.collections { for name in names { mix(name.utf8) } }
        return String(hash, radix: 36)
    }
}
