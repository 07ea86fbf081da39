internal import SystemInterface

/// The path of the daemon's socket.
public enum SocketPath {
    /// Finds the path: the explicit one, else `$PICKERD_SOCKET`, else `pickerd/pickerd.sock` in
    /// `$XDG_RUNTIME_DIR`. An empty variable counts as unset, and so does a runtime folder that is not an
    /// absolute path.
    ///
    /// - Parameters:
    ///   - explicit: the path from the user, if any.
    ///   - environment: returns the value of a variable; by default that of this process.
    /// - Returns: the path, as it was found.
    /// - Throws: ``ClientError/Code/noSocketPath``, which says what to set. There is no fallback: in a
    ///   folder that anyone can write to, the socket could be anyone's.
    public static func resolve(
        explicit: String? = nil,
        environment: ((String) -> String?)? = nil
    ) throws(ClientError) -> String {
        try locate(explicit: explicit, environment: environment).path
    }

    /// Where a path comes from.
    package enum Origin: Hashable, Sendable {
        /// The user gave it.
        case explicit
        /// `$PICKERD_SOCKET`.
        case variable
        /// `$XDG_RUNTIME_DIR`.
        case runtimeFolder
    }

    /// As `resolve`, and where the path comes from.
    package static func locate(
        explicit: String? = nil,
        environment: ((String) -> String?)? = nil
    ) throws(ClientError) -> (path: String, origin: Origin) {
        let environment = environment ?? { CurrentProcess.environment($0) }
        if let explicit {
            if explicit.isEmpty {
                throw ClientError(.noSocketPath, "the path of --socket is empty")
            }
            return (explicit, .explicit)
        }
        if let path = environment("PICKERD_SOCKET"), !path.isEmpty { return (path, .variable) }
        if let folder = environment("XDG_RUNTIME_DIR"), folder.hasPrefix("/") {
            let path =
                folder.hasSuffix("/")
                ? "\(folder)pickerd/pickerd.sock" : "\(folder)/pickerd/pickerd.sock"
            return (path, .runtimeFolder)
        }
        throw ClientError(
            .noSocketPath,
            "nothing says where the daemon's socket is: set XDG_RUNTIME_DIR (a login session "
                + "does) or PICKERD_SOCKET, or use --socket PATH")
    }
}
