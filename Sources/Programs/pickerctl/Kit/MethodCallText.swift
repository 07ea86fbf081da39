import ArgumentParser
import JSONText

/// A call of a method as it is written in an argument: its name, and its parameters in JSON.
struct MethodCallText: ExpressibleByArgument {
    let method: String
    let params: JSONValue

    init?(argument: String) {
        let text = RawArguments.shown(argument)
        let name = text.prefix { $0 != " " }
        let rest = text.dropFirst(name.count).drop { $0 == " " }
        guard !name.isEmpty else { return nil }
        method = String(name)
        if rest.isEmpty {
            params = [:]
        } else {
            guard let value = try? JSONValue(parsing: String(rest)), value.kind == .object else {
                return nil
            }
            params = value
        }
    }
}
