// The result of daemon.schema, compared with the daemon.

import EventsPlugin
import JSONText
import PluginInterface
import TestSupport
import Testing
import WireProtocol

@testable import PickerService

@Suite struct SchemaTests {
    private let fixture = ServerFixture()

    @Test("the document is valid by OpenRPC and JSON Schema")
    func soundness() throws {
        let document = try fixture.connect().result("daemon.schema")
        let schema = ProtocolSchema(document)
        #expect(schema.faults == [])
        #expect(document["openrpc"] == "1.3.2")
        #expect(document["info"] == ["title": "pickerd", "version": "1.2.3"])
    }

    @Test("the listed methods are exactly those that are answered")
    func methods() throws {
        let client = try fixture.connect()
        let described = ProtocolSchema(try client.result("daemon.schema")).methodNames
        let capabilities =
            try client.result("daemon.hello")["capabilities"]?.objectValue?.keys ?? []
        let answered = capabilities.filter { $0.contains(".") || $0 == "batch" || $0 == "sync" }
        #expect(described == (answered + ["$/cancel"]).sorted())
        #expect(described.contains("documents.stats") && described.contains("items.open"))
    }

    @Test("the schema lists no methods or notifications of a missing plugin")
    func absentPlugin() throws {
        let fixture = ServerFixture(plugins: [EventsPlugin()])
        let document = try fixture.connect().result("daemon.schema")
        let names = ProtocolSchema(document).methodNames
        #expect(names.filter { $0.hasPrefix("items.") || $0.hasPrefix("documents.") } == [])
        #expect(names.contains("events.publish"))
        let notifications = document["x-notifications"]?.arrayValue?.compactMap { $0["name"] }
        #expect(notifications == ["$/alive", "$/closed", "$/goodbye", "$/lost", "event"])
        #expect(document["components"]?["schemas"]?["item"] == nil)
        fixture.host.deactivateAll()
        let rest = ProtocolSchema(try fixture.connect().result("daemon.schema")).methodNames
        #expect(
            rest.filter { !$0.hasPrefix("daemon.") } == [
                "$/cancel", "batch", "plugins.disable", "plugins.enable", "plugins.list",
                "plugins.restart",
            ])
    }

    @Test("each parameter is checked: an invalid value is an error that names it")
    func parameters() throws {
        let client = try fixture.connect()
        let needed: [String: JSONObject] = [
            "batch": ["calls": []], "events.publish": ["topic": "a.b"],
            "events.subscribe": ["topics": ["a"]], "events.replay": ["topics": ["a"]],
            "events.unsubscribe": ["sub": 900], "items.close": ["sub": 901],
            "items.update": ["sub": 901], "slow.large": ["count": 1],
        ]
        _ = try client.result("events.subscribe", ["topics": ["a"]], id: 900)
        _ = try client.result("items.open", [:], id: 901)
        var tried = 0
        for method in fixture.registry.definitions {
            guard method.result != nil else { continue }
            for parameter in method.parameters {
                // One parameter may be anything.
                if parameter.schema.json.keys.allSatisfy({ $0 == "description" }) { continue }
                var params = needed[method.name] ?? [:]
                params[parameter.name] = [[["nonsense"]]]
                let reply = try client.reply(method.name, .object(params))
                let place: Comment = "\(method.name) \(parameter.name): \(reply)"
                let at = reply["error"]?["data"]?["at"]?.stringValue
                #expect(at?.hasPrefix(parameter.name) == true, place)
                tried += 1
            }
        }
        #expect(tried > 40)
    }

    @Test("a handler can't read an undefined parameter")
    func undeclared() async {
        await #expect(processExitsWith: .failure) {
            let fixture = ServerFixture(plugins: [SecretivePlugin()])
            _ = try fixture.connect().result("secret.method", ["secret": 1])
        }
    }

    @Test(
        "violations of the schema are detected",
        arguments: [
            ("daemon.ping", #"{"jsonrpc":"2.0","id":1,"result":{"more":1}}"#),
            ("daemon.ping", #"{"jsonrpc":"2.0","id":1}"#),
            ("daemon.ping", #"{"id":1,"result":{}}"#),
            ("daemon.ping", #"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#),
            ("daemon.ping", #"{"jsonrpc":"2.0","id":1.5,"result":{}}"#),
            (
                "daemon.ping",
                #"{"jsonrpc":"2.0","id":1,"error":{"code":1011,"message":"x","data":{"kind":"noSuchItem"}}}"#
            ),
            (
                "documents.stats",
                #"{"jsonrpc":"2.0","id":1,"error":{"code":1004,"message":"x","data":{"kind":"timeout"}}}"#
            ),
            (
                "documents.stats",
                #"{"jsonrpc":"2.0","id":1,"error":{"code":1004,"message":"x"}}"#
            ),
            ("events.publish", #"{"jsonrpc":"2.0","id":1,"result":{"seq":"5"}}"#),
            ("events.publish", #"{"jsonrpc":"2.0","id":1,"result":{}}"#),
            (
                "items.get",
                #"{"jsonrpc":"2.0","id":1,"result":{"rev":1,"total":-1,"start":0,"items":[]}}"#
            ),
            (
                "items.get",
                #"{"jsonrpc":"2.0","id":1,"result":{"rev":1,"total":1,"start":0,"items":[{"kind":"new","key":"x"}]}}"#
            ),
            ("$/cancel", #"{"jsonrpc":"2.0","id":1,"result":{}}"#),
            ("no.such", #"{"jsonrpc":"2.0","id":1,"result":{}}"#),
            (nil, #"{"jsonrpc":"2.0","method":"$/alive","params":{"rev":1,"x":1}}"#),
            (nil, #"{"jsonrpc":"2.0","method":"$/alive","params":{}}"#),
            (nil, #"{"jsonrpc":"2.0","method":"$/goodbye","params":{"reason":"bored"}}"#),
            (nil, #"{"jsonrpc":"2.0","method":"no.such","params":{}}"#),
            (nil, #"{"method":"$/alive","params":{"rev":1}}"#),
            (
                nil,
                #"{"jsonrpc":"2.0","method":"items.delta","params":{"sub":1,"gen":0,"from":1,"to":2,"token":"e:2","total":1,"start":0,"complete":true,"deleted":[],"moved":[[1]],"inserted":[],"updated":[]}}"#
            ),
            (
                nil,
                #"{"jsonrpc":"2.0","method":"items.delta","params":{"sub":1,"gen":0,"from":1,"to":2,"token":"e","total":1,"start":0,"complete":true,"deleted":[],"moved":[],"inserted":[],"updated":[]}}"#
            ),
        ] as [(String?, String)])
    func wrongLines(method: String?, line: String) throws {
        let check = ConversationCheck(try fixture.schema())
        if let method { check.didSend("{\"id\":1,\"method\":\"\(method)\"}\n".utf8) }
        #expect(try !check.problems(of: JSONValue(parsing: line)).isEmpty)
    }

    @Test("each answer in a batch is checked against its own method")
    func wrongBatch() throws {
        let check = ConversationCheck(try fixture.schema())
        func problems(_ results: String) throws -> [String] {
            check.didSend(
                #"{"id":1,"method":"batch","params":{"calls":[{"method":"daemon.ping"}]}}"#.utf8)
            check.didSend("\n".utf8)
            return check.problems(
                of: try JSONValue(
                    parsing: #"{"jsonrpc":"2.0","id":1,"result":{"rev":1,"results":\#(results)}}"#))
        }
        #expect(try problems(#"[{"result":{}}]"#) == [])
        #expect(try problems(#"[{"result":{"rev":1}}]"#) != [])
        #expect(try problems("[]") != [])
    }

    @Test(
        "the validator knows its keywords",
        arguments: [
            (#"{"type":"integer"}"#, "3", "3.5"), (#"{"type":"integer"}"#, "3.0", "\"3\""),
            (#"{"type":["string","null"]}"#, "null", "0"), (#"{"type":"number"}"#, "0.5", "true"),
            (#"{"type":"boolean"}"#, "true", "null"),
            (#"{"const":{"a":[1]}}"#, "{\"a\":[1.0]}", "{}"),
            (#"{"enum":["a","b"]}"#, "\"b\"", "\"c\""),
            (#"{"pattern":"^a+$"}"#, "\"aa\"", "\"ab\""),
            (#"{"minLength":2,"maxLength":3}"#, "\"äöü\"", "\"a\""),
            (#"{"minimum":1,"maximum":2}"#, "2", "2.1"),
            (#"{"items":{"type":"null"}}"#, "[null]", "[0]"),
            (#"{"prefixItems":[{"type":"null"},{"type":"integer"}]}"#, "[null,1]", "[null,null]"),
            (#"{"minItems":1,"maxItems":1}"#, "[1]", "[]"),
            (#"{"properties":{"a":{"type":"null"}}}"#, "{\"a\":null}", "{\"a\":1}"),
            (#"{"required":["a"]}"#, "{\"a\":1}", "{\"b\":1}"),
            (
                #"{"properties":{"a":{}},"additionalProperties":false}"#, "{\"a\":1}",
                "{\"a\":1,\"b\":1}"
            ),
            (#"{"additionalProperties":{"const":true}}"#, "{\"x\":true}", "{\"x\":false}"),
            (
                #"{"patternProperties":{"^x":{"const":true}},"additionalProperties":false}"#,
                "{\"xy\":true}", "{\"xy\":false}"
            ),
            (
                #"{"patternProperties":{"^x":{}},"additionalProperties":false}"#, "{\"xy\":1}",
                "{\"y\":1}"
            ),
            (#"{"anyOf":[{"type":"null"},{"minimum":5}]}"#, "6", "4"),
            (##"{"$ref":"#/components/schemas/token"}"##, "\"e:1\"", "\"e\""),
        ])
    func keywords(schema: String, right: String, wrong: String) throws {
        let validator = JSONSchema(in: try fixture.schema().document)
        let schema = try JSONValue(parsing: schema)
        #expect(validator.faults(of: schema, at: "") == [])
        #expect(try validator.problems(of: JSONValue(parsing: right), by: schema, at: "") == [])
        #expect(try validator.problems(of: JSONValue(parsing: wrong), by: schema, at: "") != [])
    }

    @Test(
        "an invalid schema is an error, and so is a keyword unknown to the validator",
        arguments: [
            #"{"type":"text"}"#, #"{"type":["null","null"]}"#, #"{"oneOf":[{}]}"#,
            #"{"pattern":"("}"#, #"{"minItems":-1}"#,
            ##"{"$ref":"#/components/schemas/nobody"}"##, #"{"properties":{"a":{"format":"x"}}}"#,
            #"{"items":5}"#, #"{"required":"a"}"#, #"{"enum":[]}"#, #"{"anyOf":[]}"#,
        ])
    func faults(schema: String) throws {
        let validator = JSONSchema(in: try fixture.schema().document)
        #expect(try validator.faults(of: JSONValue(parsing: schema), at: "") != [])
    }

    @Test("an error anywhere in the document is detected")
    func faultyDocument() throws {
        let document = try fixture.schema().document
        func faults(_ change: (inout JSONObject) -> Void) -> [String] {
            var object = document.objectValue ?? [:]
            change(&object)
            return ProtocolSchema(.object(object)).faults
        }
        #expect(faults { _ in } == [])
        #expect(faults { $0["openrpc"] = "2.0" } != [])
        #expect(faults { $0["info"] = ["title": "x"] } != [])
        #expect(faults { $0["methods"] = [] } != [])
        #expect(faults { $0["servers"] = [] } != [])
        #expect(faults { $0["methods"] = [["name": "a", "params": []]] } != [])
        #expect(faults { $0["components"] = [:] } != [])
        #expect(faults { $0["x-notifications"] = [] } != [])
    }
}

/// A plugin with a method that reads an undefined parameter.
private final class SecretivePlugin: Plugin {
    let manifest = PluginManifest.test("secret", "secret.method")

    func activate(in context: PluginContext) throws(PluginError) {
        context.register(.test("secret.method")) { (call, writer) throws(ProtocolError) in
            writer.integer(try call.reader().int("secret"))
            return .answered
        }
    }
}
