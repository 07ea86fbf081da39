// What the daemon says that it says, asked once for all tests.

import JSONText
import Synchronization
import TestSupport

/// The answer of `daemon.schema`, as the built daemon gives it.
enum DaemonSchema {
    private static let known = Mutex<ProtocolSchema?>(nil)

    static func shared() throws -> ProtocolSchema {
        try known.withLock { known in
            if let known { return known }
            let place = try TemporaryFolder()
            try place.makeFolder("root")
            let daemon = try DaemonUnderTest(
                [place.path("root")], socket: place.path("pickerd.sock"))
            let connection = try TestConnection(to: place.path("pickerd.sock"), nil)
            let schema = ProtocolSchema(try connection.call("daemon.schema").value())
            known = schema
            return withExtendedLifetime(daemon) { schema }
        }
    }
}
