// The protocol by the daemon's own description: the result of `daemon.schema`, to check its lines against.

package import JSONText

/// The parsed document of `daemon.schema`.
package struct ProtocolSchema: Sendable {
    private struct Method: Sendable {
        /// Nil for a notification, which is never answered.
        let result: JSONValue?
        let errors: [JSONValue]
    }

    package let document: JSONValue
    private let schema: JSONSchema
    private var methods: [String: Method] = [:]
    private var notifications: [String: JSONValue] = [:]
    /// The codes and names of all errors.
    private var errors: [String: JSONValue] = [:]

    package init(_ document: JSONValue) {
        self.document = document
        schema = JSONSchema(in: document)
        for (name, error) in (document["components"]?["errors"]?.objectValue?.members ?? [])
            .map({ ($0.key, $0.value) })
        {
            errors[name] = error["code"]
        }
        for method in document["methods"]?.arrayValue ?? [] {
            let codes = (method["errors"]?.arrayValue ?? []).compactMap { error in
                error["$ref"].flatMap { schema.target(of: $0) }?["code"]
            }
            methods[method["name"]?.stringValue ?? ""] = Method(
                result: method["result"]?["schema"], errors: codes)
        }
        for notification in document["x-notifications"]?.arrayValue ?? [] {
            notifications[notification["name"]?.stringValue ?? ""] = notification["params"]
        }
    }

    package var methodNames: [String] { methods.keys.sorted() }

    // MARK: Lines

    /// The errors of a notification; empty if it is valid by the schema.
    package func problems(ofNotification line: JSONValue) -> [String] {
        guard let name = line["method"]?.stringValue, let params = line["params"],
            line["jsonrpc"] == "2.0", line.objectValue?.count == 3
        else { return ["not a notification: \(line.shortened)"] }
        guard let schema = notifications[name] else { return ["no notification is called \(name)"] }
        return self.schema.problems(of: params, by: schema, at: name)
    }

    /// The errors of a reply to a request of `method`; nil for an unknown method or a line that was no request.
    package func problems(
        ofReply line: JSONValue, to method: String?, params: JSONValue?
    ) -> [String] {
        guard let id = line["id"], line["jsonrpc"] == "2.0", line.objectValue?.count == 3,
            (line["result"] == nil) != (line["error"] == nil),
            id.kind == .null || id.kind == .string || id.integerValue != nil
        else { return ["not a reply: \(line.shortened)"] }
        return problems(ofOutcome: line, of: method, params, at: method ?? "unknown")
    }

    private func problems(
        ofOutcome outcome: JSONValue, of name: String?, _ params: JSONValue?, at path: String
    ) -> [String] {
        if let error = outcome["error"] { return problems(ofError: error, of: name, at: path) }
        guard let result = outcome["result"], let name else {
            return ["\(path): a result of nothing"]
        }
        guard let method = methods[name] else { return ["\(path): there is no such method"] }
        guard let schema = method.result else { return ["\(path): a notification was answered"] }
        var problems = self.schema.problems(of: result, by: schema, at: path)
        if name == "batch", let calls = params?["calls"]?.arrayValue,
            let results = result["results"]?.arrayValue
        {
            if calls.count != results.count { problems.append("\(path): a result for each call") }
            for (index, (call, result)) in zip(calls, results).enumerated() {
                problems += self.problems(
                    ofOutcome: result, of: call["method"]?.stringValue, nil,
                    at: "\(path)[\(index)] \(call["method"] ?? "")")
            }
        }
        return problems
    }

    private func problems(
        ofError error: JSONValue, of name: String?, at path: String
    ) -> [String] {
        let target: JSONValue = "#/components/schemas/error"
        guard let schema = schema.target(of: target) else { return ["no schema of errors"] }
        var problems = self.schema.problems(of: error, by: schema, at: "\(path) error")
        let kind = error["data"]?["kind"]?.stringValue ?? ""
        if errors[kind] != error["code"] {
            problems.append("\(path): the code \(error["code"] ?? "") does not mean \(kind)")
        }
        // For the line, independently of its method, or for an unknown method.
        let isOfLine = ["parseError", "invalidRequest", "methodNotFound"].contains(kind)
        if let method = name.flatMap({ methods[$0] }), !isOfLine,
            let code = error["code"], !method.errors.contains(code)
        {
            problems.append("\(path): the method does not say that it has the error \(kind)")
        }
        return problems
    }

    // MARK: The document

    /// The errors of the document itself, by the rules of OpenRPC and JSON Schema.
    package var faults: [String] {
        var faults: [String] = []
        func check(_ holds: Bool, _ what: @autoclosure () -> String) {
            if !holds { faults.append(what()) }
        }
        func text(_ value: JSONValue?) -> Bool { value?.stringValue?.isEmpty == false }
        let known = ["openrpc", "info", "methods", "components"]
        for key in document.objectValue?.keys ?? [] {
            check(known.contains(key) || key.hasPrefix("x-"), "OpenRPC has no member '\(key)'")
        }
        check(document["openrpc"]?.stringValue?.hasPrefix("1.3.") == true, "the version of OpenRPC")
        check(text(document["info"]?["title"]) && text(document["info"]?["version"]), "info")
        let methods = document["methods"]?.arrayValue ?? []
        check(!methods.isEmpty, "there are no methods")
        check(
            Set(methods.map { $0["name"]?.stringValue }).count == methods.count,
            "a method comes twice")
        for method in methods { faults += self.faults(ofMethod: method) }
        for notification in document["x-notifications"]?.arrayValue ?? [] {
            let name = notification["name"]?.stringValue ?? ""
            check(text(notification["summary"]), "\(name) has no summary")
            faults += schema.faults(of: notification["params"] ?? .null, at: name)
        }
        for named in document["components"]?["schemas"]?.objectValue?.members ?? [] {
            faults += schema.faults(of: named.value, at: named.key)
        }
        for error in document["components"]?["errors"]?.objectValue?.members ?? [] {
            check(error.value["code"]?.integerValue != nil, "\(error.key) has no code")
            check(text(error.value["message"]), "\(error.key) has no message")
        }
        return faults
    }

    private static let methodMembers = [
        "name", "summary", "paramStructure", "params", "result", "errors", "x-notifications",
    ]

    private func faults(ofMethod method: JSONValue) -> [String] {
        var faults: [String] = []
        let name = method["name"]?.stringValue ?? "a method without a name"
        func check(_ holds: Bool, _ what: String) {
            if !holds { faults.append("\(name): \(what)") }
        }
        for key in method.objectValue?.keys ?? [] {
            check(Self.methodMembers.contains(key), "a member '\(key)'")
        }
        check(method["summary"]?.stringValue?.hasSuffix(".") == true, "the summary is no sentence")
        check(method["paramStructure"] == "by-name", "parameters go by name")
        guard let params = method["params"]?.arrayValue else {
            return faults + ["\(name): no params"]
        }
        var sawOptional = false
        for param in params {
            let place = "\(name).\(param["name"]?.stringValue ?? "?")"
            check(param["name"]?.stringValue?.isEmpty == false, "a parameter without a name")
            check(!(sawOptional && param["required"] == true), "optional ones come last")
            if param["required"] != true { sawOptional = true }
            faults += schema.faults(of: param["schema"] ?? .null, at: place)
        }
        check(
            Set(params.map { $0["name"]?.stringValue }).count == params.count, "a parameter twice")
        if let result = method["result"] {
            check(result["name"]?.stringValue?.isEmpty == false, "the result has no name")
            faults += schema.faults(of: result["schema"] ?? .null, at: "\(name) result")
            check(method["errors"]?.arrayValue?.isEmpty == false, "no errors")
        }
        for error in method["errors"]?.arrayValue ?? [] {
            let target = error["$ref"].flatMap { schema.target(of: $0) }
            check(target?["code"] != nil, "no error at \(error)")
        }
        for sent in method["x-notifications"]?.arrayValue ?? [] {
            check(notifications[sent.stringValue ?? ""] != nil, "no notification \(sent)")
        }
        return faults
    }
}
