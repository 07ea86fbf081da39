import JSONText
import TestSupport
import Testing

/// What a daemon has of a source.
final class Collection {
    let daemon: ScriptedDaemon
    private(set) var items: [String: JSONValue] = [:]
    private(set) var epoch = ""
    private(set) var revision: Int64 = 0
    /// The lines that were taken since it was opened.
    private(set) var taken: [JSONValue] = []
    private var draft: [String: JSONValue]?
    /// How many are refused.
    var refusals = 0
    /// What it answers to those that it takes.
    var answer: JSONValue = [:]

    init(_ daemon: ScriptedDaemon) { self.daemon = daemon }

    var token: String { "\(epoch):\(revision)" }

    @discardableResult
    func open(since token: String? = nil) throws -> Bool {
        taken = []
        var params: JSONObject = ["source": "things"]
        params["since"] = token.map { .string($0) }
        let answer = try daemon.request("source.open", .object(params))
        // What came before the answer is of the former opening.
        daemon.told = []
        epoch = try #require(answer["epoch"]?.stringValue)
        revision = try #require(answer["rev"]?.integerValue)
        let isResumed = answer["resumed"] == true
        draft = nil
        return isResumed
    }

    /// Takes a line and confirms it, or refuses it.
    func take(_ message: JSONValue) throws {
        let params = try #require(message["params"])
        #expect(message.bytes.count <= 256 << 10)
        taken.append(message)
        if refusals > 0 {
            refusals -= 1
            let id = try #require(message["id"])
            try daemon.send(#"{"id":\#(id),"error":{"code":1012,"message":"not now"}}"#)
            return
        }
        let put = try #require(params["put"]?.arrayValue)
        if message["method"] == "source.reset" {
            if params["chunk"] == 0 { draft = [:] }
            for item in put { draft?[item["id"]?.stringValue ?? ""] = item }
            if params["last"] == true {
                items = try #require(draft)
                revision = try #require(params["rev"]?.integerValue)
            }
        } else {
            #expect(params["from"] == .integer(revision))
            revision = try #require(params["to"]?.integerValue)
            for id in params["removed"]?.arrayValue ?? [] { items[id.stringValue ?? ""] = nil }
            for item in put { items[item["id"]?.stringValue ?? ""] = item }
        }
        try daemon.answer(message, answer)
    }

    /// Takes all that comes until the plugin has answered a request that it got after that.
    func settle() throws {
        repeat {
            while !daemon.told.isEmpty { try take(daemon.told.removeFirst()) }
            _ = try daemon.request("sample.echo")
        } while !daemon.told.isEmpty
    }
}
