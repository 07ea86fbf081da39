// A plugin for tests of what only a process has: its end, its memory, and what it prints.

import Glibc
import PickerClient
import PickerPlugin

@main struct SamplePlugin: PluginProgram {
    static let groups = [
        Group("text") { file in
            print("reading \(file.name)")
            let bytes = try file.read(upTo: 65_536)
            guard !bytes.isEmpty else { return .none }
            return [
                "sample.first": String(decoding: bytes.prefix(9), as: UTF8.self),
                "sample.length": bytes.count,
            ]
        }
    ]

    static let methods = [
        Method("sample.echo") { $0.parameters },
        Method("sample.spin") { call in
            print("spinning")
            while true {
                if call.parameters["cancellable"] != nil, call.daemon.isCancelled() { break }
            }
            return try RawJSON("true")
        },
        Method("sample.run") { call in
            let words = try call.parameters.decode(as: [String: [String]].self)["words"] ?? []
            let tool = Tool(
                words.first ?? "", Array(words.dropFirst()), limit: .milliseconds(1500),
                mostOutput: 1000)
            let outcome = try call.daemon.run(tool)
            let output = String(decoding: outcome.output, as: UTF8.self)
            return try RawJSON(encoding: ["status": "\(outcome.status)", "output": output])
        },
    ]

    static func begin(_ daemon: PluginDaemon) {
        // By C code, and by Swift's.
        _ = putchar(0x3E)
        print("the beginning")
    }

    static func end() { print("the end") }
}
