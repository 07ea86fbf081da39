public import PickerClient
internal import SystemInterface
internal import WireProtocol

/// Why something could not be done: what handlers throw, and what the library throws in them.
///
/// Thrown by the reader of a group or by an action, its message is the error of that one file. Any other error of
/// a handler counts as a fault of the plugin, and is told with the text that describes it.
public struct PluginError: Error, Hashable, Sendable {
    /// The kind of an error. Later versions may add more: compare with the constants, and expect others.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String, Hashable, Sendable {
            case failed, retry, notRegular, system, manifest, refused, cancelled, timedOut, tooLong
            case ended, broken
        }

        private let value: Value

        /// The plugin says why, by the message.
        public static let failed = Code(value: .failed)
        /// The file can't be read now, and should be asked for again.
        public static let retry = Code(value: .retry)
        /// What has the path of a document is no regular file.
        public static let notRegular = Code(value: .notRegular)
        /// The system refused: there is no such file, no permission, …
        public static let system = Code(value: .system)
        /// `plugin.json` can't be used, or lacks what the program has.
        public static let manifest = Code(value: .manifest)
        /// An error by the rules of the wire: of the daemon, or for it. ``PluginError/refusal`` is its kind.
        public static let refused = Code(value: .refused)
        /// The daemon has cancelled the request that is handled.
        public static let cancelled = Code(value: .cancelled)
        /// There was no reply, or no end of a program, in time.
        public static let timedOut = Code(value: .timedOut)
        /// A line would be longer than the daemon takes; nothing was sent.
        public static let tooLong = Code(value: .tooLong)
        /// It is time to go: the daemon has closed the socket, or the process was told to end.
        public static let ended = Code(value: .ended)
        /// The daemon sent what can't be gone on after.
        public static let broken = Code(value: .broken)

        /// The name of the constant.
        public var description: String { value.rawValue }
    }

    /// The kind of error.
    public let code: Code
    /// What happened, for people.
    public let message: String
    /// The kind of a refusal.
    public let refusal: RefusalKind?
    /// The invalid parameter of a refusal, such as `key`.
    public let at: String?
    /// The error of the system.
    let number: ErrorNumber?

    init(
        _ code: Code, _ message: String, refusal: RefusalKind? = nil, at: String? = nil,
        number: ErrorNumber? = nil
    ) {
        self.code = code
        self.message = message
        self.refusal = refusal
        self.at = at
        self.number = number
    }

    /// An error with a message for people.
    ///
    /// - Parameter message: what happened; of a file's error, the first 200 bytes are told.
    public init(_ message: String) {
        self.init(.failed, message)
    }

    /// The file can't be read now, and should be asked for again.
    public static let retry = PluginError(.retry, "it can't be read now")

    /// The error with which a method answers its client.
    ///
    /// - Parameters:
    ///   - kind: the kind, for programs.
    ///   - message: the message, for people; of more than 4,096 bytes the first are sent.
    ///   - at: the parameter that is wrong, if one is.
    /// - Returns: the error, to be thrown.
    public static func refused(
        _ kind: RefusalKind, _ message: String, at: String? = nil
    ) -> PluginError {
        PluginError(.refused, message, refusal: kind, at: at)
    }

    init(_ error: ProtocolError) {
        let kind = RefusalKind(code: error.code, name: error.kind.name)
        self.init(.refused, error.message, refusal: kind, at: error.at)
    }

    init(_ error: SystemError) {
        let text = error.advice.isEmpty ? "\(error.code)" : "\(error.code); \(error.advice)"
        self.init(.system, text, number: error.code)
    }
}

extension PluginError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}

/// What a call of the system returns; its error is one of ours.
func orPluginError<Value>(
    _ call: () throws(SystemError) -> Value
) throws(PluginError) -> Value {
    do {
        return try call()
    } catch {
        throw PluginError(error)
    }
}
