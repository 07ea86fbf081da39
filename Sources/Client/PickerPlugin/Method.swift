public import PickerClient

/// A method that clients of the daemon may call.
///
///     Method("image.palette") { call in
///         guard let key = call.parameters["key"]?.string else {
///             throw PluginError.refused(.invalidParams, "which document?", at: "key")
///         }
///         let item = try call.daemon.call("documents.get", ["key": key])
///         return try RawJSON(encoding: ["name": item["name"]?.string])
///     }
///
/// A ``PluginError/refused(_:_:at:)`` is the error for the client; any other is a fault of the plugin.
public struct Method {
    /// A call of a method.
    public struct Call {
        /// The parameters: an object.
        public let parameters: RawJSON
        /// The daemon that passed it on.
        public let daemon: PluginDaemon
    }

    /// The name of the method in the manifest, which begins with that of the plugin.
    public let name: String
    let answer: (Call) throws -> RawJSON

    /// A method.
    ///
    /// - Parameters:
    ///   - name: the name of the method in the manifest.
    ///   - answer: what returns the result of a call.
    public init(_ name: String, answer: @escaping (Call) throws -> RawJSON) {
        self.name = name
        self.answer = answer
    }
}
