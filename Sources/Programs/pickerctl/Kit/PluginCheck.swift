/// One thing that a plugin must do.
struct PluginCheck {
    /// What holds if it passes.
    let name: String
    /// Whether another run of it goes as this one, so that it can be recorded.
    let isSteady: Bool
    let run: (PluginTrial) throws(NotPassed) -> Void

    init(
        _ name: String, isSteady: Bool = true,
        _ run: @escaping (PluginTrial) throws(NotPassed) -> Void
    ) {
        self.name = name
        self.isSteady = isSteady
        self.run = run
    }
}

/// Why a check has not passed.
struct NotPassed: Error {
    enum Kind { case failed, skipped }

    let kind: Kind
    let why: String

    static func failed(_ why: String) -> NotPassed { NotPassed(kind: .failed, why: why) }
    /// It does not concern this plugin, or can't be told.
    static func skipped(_ why: String) -> NotPassed { NotPassed(kind: .skipped, why: why) }
}
