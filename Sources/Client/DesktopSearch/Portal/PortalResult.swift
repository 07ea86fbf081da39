/// How a dialog has ended, and what was chosen.
struct PortalResult {
    enum Response: UInt32 {
        case done = 0
        case cancelled = 1
        case failed = 2
    }

    let response: Response
    var uris: [String] = []
    var choices: [PortalRequest.Choice] = []
    var filter: PortalFilter?
    /// Whether the program may write to the files; nil where it is about to anyway.
    var isWritable: Bool?
}
