package import JSONText

/// The result of `daemon.schema`: an OpenRPC document of the available methods.
///
/// OpenRPC describes calls by clients and has no element for notifications from the daemon. These are under the
/// extension `x-notifications`, and each method lists the names of its own under the same key.
package struct OpenRPCDocument {
    package static let version = "1.3.2"

    private let title: String
    private let daemonVersion: String
    private let methods: [MethodDefinition]
    private let schemas: [NamedSchema]

    /// A document of all methods, requests and notifications from clients, and of the schemas of what no method has.
    package init(
        title: String, daemonVersion: String, methods: [MethodDefinition],
        schemas: [NamedSchema] = []
    ) {
        self.title = title
        self.daemonVersion = daemonVersion
        self.schemas = schemas
        self.methods = methods.sorted { $0.name < $1.name }
    }

    private var notifications: [NotificationDefinition] {
        var found: [String: NotificationDefinition] = [:]
        for notification in methods.flatMap(\.notifications) {
            found[notification.name] = notification
        }
        return found.values.sorted { $0.name < $1.name }
    }

    private var namedSchemas: [NamedSchema] {
        let all =
            methods.flatMap { $0.parameters.map(\.schema) } + methods.compactMap(\.result)
            + notifications.map(\.parameters) + schemas.map(\.schema)
        var found = [NamedSchema.error.name: NamedSchema.error]
        for named in schemas + all.flatMap(\.references) { found[named.name] = named }
        return found.values.sorted { $0.name < $1.name }
    }
}

extension OpenRPCDocument: WireWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("openrpc", Self.version)
            writer.member(object: "info") { info in
                info.member("title", title)
                info.member("version", daemonVersion)
            }
            writer.member("x-jsonSchema", "https://json-schema.org/draft/2020-12/schema")
            writer.member(array: "methods") { array in
                for method in methods { method.write(to: &array) }
            }
            writer.member(array: "x-notifications") { array in
                for notification in notifications { notification.write(to: &array) }
            }
            writer.member(object: "components") { components in
                components.member(object: "schemas") { schemas in
                    for named in namedSchemas {
                        schemas.key(escaping: named.name)
                        schemas.object(named.schema.json)
                    }
                }
                components.member(object: "errors") { errors in
                    for (kind, meaning) in ProtocolError.Kind.meanings {
                        errors.key(escaping: kind.name)
                        errors.object { error in
                            error.member("code", kind.code)
                            error.member("message", meaning)
                            error.member("data", ["kind": .string(kind.name)] as JSONValue)
                        }
                    }
                }
            }
        }
    }
}

extension MethodDefinition {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", name)
            writer.member("summary", summary)
            writer.member("paramStructure", "by-name")
            writer.member(array: "params") { array in
                // OpenRPC lists required parameters first.
                for parameter in parameters.filter(\.isRequired) { parameter.write(to: &array) }
                for parameter in parameters.filter({ !$0.isRequired }) {
                    parameter.write(to: &array)
                }
            }
            if let result {
                writer.member(object: "result") { writer in
                    writer.member("name", "result")
                    writer.key("schema")
                    writer.object(result.json)
                }
                writer.member(array: "errors") { array in
                    for kind in allErrors {
                        array.object { $0.member("$ref", "#/components/errors/\(kind.name)") }
                    }
                }
            }
            if !notifications.isEmpty {
                writer.member("x-notifications", notifications.map(\.name))
            }
        }
    }
}

extension Schema.Member {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", name)
            if isRequired { writer.member("required", true) }
            writer.key("schema")
            writer.object(isRequired ? schema.json : schema.orNull.json)
        }
    }
}

extension NotificationDefinition {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", name)
            writer.member("summary", summary)
            writer.key("params")
            writer.object(parameters.json)
        }
    }
}
