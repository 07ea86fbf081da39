internal import JSONText

extension SourceItem {
    /// The item as JSON, the same for equal items. Attributes of the manifest must be of their `types`; others are
    /// taken as they are.
    func encoded(types: [String: AttributeType]) throws(PluginError) -> [UInt8] {
        var checked: [(name: String, value: JSONValue)] = []
        for (name, value) in attributes.sorted(by: { $0.key < $1.key }) {
            let value = value.attributeValue
            checked.append((name, try types[name]?.check(value, of: name) ?? value.plain))
        }
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("id", id)
            writer.member("name", name)
            if let uri { writer.member("uri", uri) }
            if let size {
                writer.key("size")
                writer.integer(size)
            }
            if let modified {
                writer.key("modified")
                writer.double(modified)
            }
            if let type { writer.member("type", type) }
            for (name, value) in checked {
                writer.key(escaping: name)
                writer.value(value)
            }
        }
        return writer.finish()
    }
}
