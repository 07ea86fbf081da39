import JSONText
import SystemInterface
import TestSupport
import Testing

/// What ends the service of a plugin on a thread.
@Suite struct PluginEndTests {
    private func daemon(traced: Bool = false) throws -> ScriptedDaemon {
        try ScriptedDaemon(traced: traced, parts: PluginWireTests.parts)
    }

    @Test("what was asked before half of the socket was closed is answered")
    func halfClosed() throws {
        let daemon = try daemon()
        let asked = try (0..<50).map { try daemon.ask("sample.echo", ["n": JSONValue($0)]) }
        try daemon.finishSending()
        for (number, id) in asked.enumerated() {
            #expect(try daemon.result(of: id) == ["n": JSONValue(number)])
        }
        try daemon.waitForEnd()
        #expect(waitUntil { daemon.printed.all.contains("status 0") })
    }

    @Test("plugin.stop is answered, and ends the plugin")
    func stopped() throws {
        let daemon = try daemon()
        #expect(try daemon.request("plugin.stop") == [:])
        try daemon.waitForEnd()
        #expect(waitUntil { daemon.printed.all.contains("status 0") })
    }

    @Test("the end of the socket ends a handler that looks, and a call that waits")
    func ended() throws {
        for method in ["sample.spin", "sample.ask"] {
            let daemon = try daemon()
            try daemon.ask(method)
            if method == "sample.ask" { _ = try daemon.hears("documents.get") }
            daemon.hangUp()
            #expect(waitUntil { daemon.printed.all.contains("status 0") })
        }
    }

    @Test("lines are traced")
    func traced() throws {
        let daemon = try daemon(traced: true)
        #expect(daemon.printed.all.contains(#"→ {"jsonrpc":"2.0","id":1,"method":"plugin.hello""#))
        #expect(daemon.printed.all.contains(#"← {"jsonrpc":"2.0","id":1,"result":{"api":1"#))
    }
}
