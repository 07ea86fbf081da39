internal import AttributeStorage
internal import EventLoops
internal import JSONText
internal import PickerModel
package import PluginInterface
internal import StateFolder
internal import SystemInterface
internal import WireProtocol

/// Attributes of documents: what plugins find out by reading files, for lists that sort by it, filter by it or show it.
///
/// Nothing is read that nobody asks for, but by plugins that may work in the background (`BackgroundReadings`). What was read is kept in a cache (`AttributeCache`) and in columns of the table of
/// documents. Each group of attributes that come from one reading has a `GroupReading`, which decides what is read next.
package final class AttributesPlugin: Plugin {
    package let manifest = PluginManifest(
        "attributes", "What plugins find out about documents.",
        methods: [.attributesList, .attributesChanged])

    private(set) var readings: AttributeReadings?

    private let powerFolder: String

    /// `powerFolder` has what the system says of power supplies.
    package init(powerFolder: String? = nil) {
        self.powerFolder = powerFolder ?? PowerSupplies.standardFolder
    }

    package func activate(in context: PluginContext) throws(PluginError) {
        let readings = AttributeReadings(in: context, powerFolder: powerFolder)
        self.readings = readings
        context.register(.attributesList) { [unowned readings] (_, writer) throws(ProtocolError) in
            readings.write(to: &writer)
            return .answered
        }
        context.register(command: .attributesChanged) {
            [unowned readings] (call) throws(ProtocolError) in
            try readings.takeChange(call.reader(), by: call.session.pluginProcess)
        }
        readings.start()
    }

    /// What was read last is stored.
    package func end() { readings?.end() }

    package func deactivate() {
        readings?.end()
        readings = nil
    }
}

extension MethodDefinition {
    static let attributesList = MethodDefinition(
        "attributes.list", "The attributes that plugins find out, and how far that is.",
        parameters: [],
        result: .array(
            of: .object([
                .required("name", .string),
                .required("type", .choice(among: Attribute.Kind.allCases.map(\.rawValue))),
                .required("plugin", .string),
                .required("known", .count, "The documents that have it, while somebody asks"),
                .required("pending", .count, "The documents that are still to be read"),
                .required("failed", .count, "The documents that can't be read"),
            ])))

    static let attributesChanged = MethodDefinition(
        "attributes.changed",
        "Says, for the process of a plugin, that values have changed while the files stayed as they are.",
        parameters: [
            .required("group", .string, "Of the plugin's own manifest"),
            .optional(
                "keys", .array(of: .string, to: AttributeReadings.mostChanged),
                "The documents of which they have changed; all unless given"),
        ],
        result: .empty, errors: [.permissionDenied])
}
